"""The owner's description of a business for its agents' first day: beliefs, and a reference page.

starting_beliefs(manifest, told={"customer_segments"}, agent_id="cmo", at=iso(clock()))
"""

from collections.abc import Collection, Iterator, Mapping

from mabos.mind.model import Belief
from mabos.society.business import Manifest
from mabos.society.figures import OWNER
from mabos.workspace.text import one_line

NOTE = "Business model"
"""The heading in Knowledge.md below which the business stands."""

TOLD, USUAL = 0.9, 0.6
"""Certainty of what the owner said, and of what businesses of this kind usually are."""

_FIELDS: Mapping[str, tuple[str, str]] = {
    "description": ("description", "What it does"),
    "products": ("product", "What it sells"),
    "value_propositions": ("value_proposition", "What customers get"),
    "customer_segments": ("customer_segment", "Who the customers are"),
    "revenue_streams": ("revenue_stream", "What is paid for"),
    "people": ("person", "Who works there"),
}


def starting_beliefs(manifest: Manifest, told: Collection[str], agent_id: str, at: str) -> tuple[Belief, ...]:
    """Return an agent's first beliefs about its business; `told` are the fields that the owner filled in."""
    return tuple(
        Belief(
            id=f"B-{agent_id}-{manifest.id}-{predicate}-{number}",
            statement=f"{manifest.name}, {title.lower()}: {value}",
            certainty=TOLD if name in told else USUAL,
            category="environment",
            source=OWNER if name in told else f"template {manifest.template}",
            # Several customer segments do not contradict each other: each is a subject of its own.
            subject=f"{manifest.id} {predicate}" if name == "description" else f"{manifest.id} {predicate} {number}",
            predicate="is",
            value=value,
            updated=at,
        )
        for name, (predicate, title) in _FIELDS.items()
        for number, value in enumerate(_values(manifest, name), start=1)
    )


def business_model(manifest: Manifest) -> str:
    """Return the business as a reference page: its activity, customers, revenue, and metrics."""
    lines = [f"{manifest.name} ({manifest.vertical or manifest.template})."]
    for name, (_, title) in _FIELDS.items():
        values = list(_values(manifest, name))
        if values:
            lines += ["", f"{title}:", *(f"- {value}" for value in values)]
    return "\n".join([*lines, "", f"Measured by: {', '.join(manifest.metrics)}."])


def _values(manifest: Manifest, name: str) -> Iterator[str]:
    found = getattr(manifest, name)
    for value in (found,) if isinstance(found, str) else found:
        said = value if isinstance(value, str) else ": ".join(filter(None, (value["name"], value.get("duty", ""))))
        if text := one_line(said):
            yield text
