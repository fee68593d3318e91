"""Wordings by which people ask for the operations of the catalogue, from `configs/requests/operations.yaml`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.operation import Operation

COMPOSITES = ("remind", "report_regularly", "project", "ask_colleagues", "delegate", "improve", "task")
"""Operations that are more than one call of a tool, or none at all."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words that ask for one operation; patterns match whole words of lower-case text."""

    operation: str
    verbs: re.Pattern[str] | None = None
    nouns: re.Pattern[str] | None = None
    cues: tuple[re.Pattern[str], ...] = ()
    unless: tuple[re.Pattern[str], ...] = ()
    needs: str = ""
    examples: tuple[str, ...] = ()
    synonyms: Mapping[str, Mapping[str, re.Pattern[str]]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    assumed: Mapping[str, Any] = field(default_factory=dict)


@cache
def wordings() -> Mapping[str, Wording]:
    """Return the wording of each operation that people can ask for, by its name."""
    return {name: _wording(name, entry) for name, entry in _entries().items() if isinstance(entry, Mapping)}


@cache
def _entries() -> Mapping[str, Any]:
    return packaged_yaml("requests/operations.yaml")


def is_read_by_schema(name: str) -> bool:
    """Return whether an operation is missing from the catalogue, so that only its schema describes it."""
    return name not in wordings() and ":" not in name and name not in str(_entries()["not_in_words"]).split()


def operation_named(name: str, description: str, parameters: Mapping[str, Any]) -> Operation:
    """Return an operation of a reader's context, with the examples and kinds of the catalogue, if any."""
    wording = wordings().get(name)
    if wording is None:
        return Operation(name, description, parameters)
    return Operation(name, description, parameters, wording.examples, kinds=wording.kinds)


def _wording(name: str, entry: Mapping[str, Any]) -> Wording:
    synonyms = {
        argument: {value: _any_of(f"{value.replace('_', '[ _-]')}, {words}") for value, words in values.items()}
        for argument, values in entry.get("synonyms", {}).items()
    }
    return Wording(
        name,
        _any_of(_with_gerunds(entry["verbs"])) if entry.get("verbs") else None,
        _any_of(entry["nouns"]) if entry.get("nouns") else None,
        tuple(re.compile(one, re.DOTALL) for one in entry.get("cues", ())),
        tuple(re.compile(one) for one in entry.get("unless", ())),
        str(entry.get("needs", "")),
        tuple(entry.get("examples", ())),
        synonyms,
        entry.get("kinds", {}),
        entry.get("assumed", {}),
    )


def _with_gerunds(verbs: str) -> str:
    """Return verbs with their forms in -ing: "would you mind writing ..."."""
    forms = []
    for verb in verbs.split(", "):
        word, _, rest = verb.partition(" ")
        stem = word[:-1] if word.endswith("e") else word + word[-1] if word in _DOUBLED else word
        forms.append(f"{word}ing" if word.endswith("ee") else f"{stem}ing" + (f" {rest}" if rest else ""))
    return f"{verbs}, {', '.join(forms)}"


_DOUBLED = ("run", "get", "put", "set", "cut", "drop", "stop", "log", "tag", "let", "plan", "begin")


def _any_of(words: str) -> re.Pattern[str]:
    longest_first = sorted(words.split(", "), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b", re.IGNORECASE)
