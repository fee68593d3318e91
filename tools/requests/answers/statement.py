"""A part of a reply, with its claims."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from mabos.language.request import Claim
from mabos.tools.requests.answers.work_items import RecordWork
from mabos.tools.requests.response import Say
from mabos.tools.requests.wording import sentences


@dataclass(frozen=True, slots=True)
class Statement:
    """Sentences of a reply with their claims; empty if there is nothing to say."""

    text: str = ""
    claims: tuple[Claim, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def say(self) -> Say:
        """Return the statement as a whole reply."""
        return Say(self.text, self.claims)


def claims_of(record: Any, names: str, at: str) -> tuple[Claim, ...]:
    """Return the claims about a record with an id: its current values of the named fields."""
    known = {one.name for one in fields(record)}
    chosen = [name for name in names.split() if name in known and getattr(record, name) not in ("", None, (), 0.0)]
    return tuple(Claim(record.id, name, getattr(record, name), at) for name in chosen)


def claims_of_made(made: RecordWork, at: str) -> tuple[Claim, ...]:
    """Return the claims about a record that work created: its plain values."""
    plain = {name: value for name, value in made.record.items() if isinstance(value, str | int | float) and value != ""}
    return tuple(Claim(made.id, name, value, at) for name, value in plain.items() if name != "id")


def together(parts: Iterable[Statement]) -> Statement:
    """Return several statements as one, without repeated texts."""
    several = list({one.text: one for one in parts}.values())
    return Statement(sentences(one.text for one in several), tuple(claim for one in several for claim in one.claims))
