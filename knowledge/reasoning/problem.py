"""Validation of structured problems from a caller."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from mabos.configs.errors import InvalidArgument
from mabos.configs.section import FrozenData

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
"""The name of a thing. Any characters but control characters: a name never becomes part of a program."""
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return `names`. Raises `ValueError` for a duplicate."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{name!r} is named twice")
        seen.add(name)
    return names


Names = Annotated[tuple[Name, ...], AfterValidator(each_once)]
"""Names of which each is there once."""
_NO_CHARACTER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Invisible characters, at some of which solvers cut a text off; tabs and ends of lines are not among them."""
_MAYBE_NONE = re.compile(r"\\(?:[bf]|u00(?:[0189][0-9a-f]|7f)|ud[89a-f])")
"""Their JSON escapes, and some that are characters after all."""
SCALE = 1e-6
"""Probabilities that should sum to one may miss it by this much; they are then scaled."""


class ProblemPart(FrozenData):
    """A part of a problem."""


class Premise(ProblemPart):
    """A premise of a problem, with its citation id."""

    id: str = ""
    subject: Name
    predicate: Name
    object: str
    confidence: Probability = 1.0


FORMS: dict[str, type["ReasoningProblem"]] = {}
"""The schemas that were imported, by the kind of problem they are for: `methods.schema` imports what is asked for."""


class ReasoningProblem(ProblemPart):
    """Base of all problems. A subclass has its `kind` as a literal, and an example that is a textbook case."""

    kind: str
    example: ClassVar[Mapping[str, Any]]

    @classmethod
    def __pydantic_init_subclass__(cls, **_options: object) -> None:
        """Note the schema under its kind; a base of several kinds has none of its own."""
        kind = cls.model_fields["kind"].default
        if isinstance(kind, str):
            FORMS[kind] = cls

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Self:
        """Return the problem in `payload`. Raises `InvalidArgument` with the first faulty field."""
        written = _encode_payload(payload)
        try:
            return cls.model_validate_json(written, strict=False)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "problem"
            more = "" if error.error_count() == 1 else f" (and {error.error_count() - 1} more)"
            said = first["msg"].removeprefix("Value error, ")
            msg = f"{place}: {said}{more}; example of a {cls.model_fields['kind'].default}: {json.dumps(cls.example)}"
            raise InvalidArgument(msg, argument=place) from error


def _encode_payload(payload: Mapping[str, Any]) -> str:
    """Return a payload as JSON. Raises `InvalidArgument` for values that JSON does not have, and for invalid text."""
    try:
        written = json.dumps(payload)
    except (TypeError, ValueError) as error:
        msg = (
            "a problem is made of objects with text for keys, lists, text, true, false, null "
            "and numbers of at most 4,300 digits, and of nothing else"
        )
        raise InvalidArgument(msg, argument="problem") from error
    if _MAYBE_NONE.search(written):
        for text in _texts(payload):
            if found := _NO_CHARACTER.search(text):
                msg = f"{text[:80]!r} holds U+{ord(found[0]):04X}, which no name and no text holds; leave it out"
                raise InvalidArgument(msg, argument="problem")
    return written


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of a payload: its keys and values."""
    match value:
        case str():
            yield value
        case Mapping():
            for key, inner in value.items():
                yield from _texts(key)
                yield from _texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _texts(inner)


def summing_to_one(shares: Mapping[str, float], what: str) -> dict[str, float]:
    """Return `shares` scaled to sum to exactly one. Raises `ValueError` if they are off by more than `SCALE`."""
    total = sum(shares.values())
    if abs(total - 1) > SCALE:
        raise ValueError(f"{what} sum to {total:g}, not to 1")
    return {name: share / total for name, share in shares.items()}


Prior = Annotated[
    Mapping[Name, Probability], Field(min_length=2), AfterValidator(lambda one: summing_to_one(one, "the prior"))
]
"""The probabilities of hypotheses before the evidence."""


def identifier(name: str) -> str:
    """Return a figure's name in expressions: blanks and hyphens become underscores."""
    return name.replace(" ", "_").replace("-", "_")
