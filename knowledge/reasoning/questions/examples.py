"""All reasoning methods with one example each: a question in words, else the purpose of its form."""

from collections.abc import Mapping

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.methods import METHODS, schema

QUESTIONS: Mapping[str, str] = packaged_yaml("reasoning_examples.yaml")
"""A question in words that each of these methods answers."""


def method_rows() -> list[dict[str, str]]:
    """Return each method with its category, an example, and whether that is a question in words or a form."""
    rows = []
    for one in METHODS:
        purpose = " ".join((schema(one.kinds[0]).__doc__ or "").split()).partition(". ")[0].rstrip(".")
        form = f'a form, as {{"kind": "{one.kinds[0]}", ...}}: {purpose}'
        asked = "question" if one.name in QUESTIONS else "form"
        example = QUESTIONS.get(one.name, form)
        rows.append({"method": one.name, "category": one.category, "asked": asked, "example": example})
    return rows
