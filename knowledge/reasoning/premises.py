"""References of a problem to an agent's facts and beliefs, resolved by id before a method sees it.

This layer does not know the mind: a caller passes a function from an id to its content. Two forms: `{"ref": "F-12"}` in
place of a value is replaced by the value of that id: the object of a fact or the value of a belief, as a number if it
is one; a rule or a case as an object (`"as": "confidence"` for its confidence). `premises: ["F-12", "B-3", "RULE-7"]`
next to the fields of a problem of logic adds them to its `facts` and `rules`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import at_most
from mabos.knowledge.reasoning.problem import Premise
from mabos.knowledge.values import parse_quantity


@dataclass(frozen=True, slots=True)
class KnownPremise:
    """The content of an id: a triple with its confidence, or a rule or case as an object with its id."""

    said: Premise | Mapping[str, Any]
    confidence: float = 1.0


Resolve = Callable[[str], KnownPremise]
"""From an id to what it says. Raises `UnknownId`."""

LOGICAL = frozenset({"horn", "explanation", "norms"})
"""The kinds of problem that have `facts` and `rules`."""


DEEPEST = 100
"""Levels of objects and lists in a problem."""
LARGEST = 4_000_000
"""Values in a problem: more take seconds to read."""
_PLAIN = frozenset({str, int, float, bool, type(None)})


def resolve_payload(payload: Mapping[str, Any], resolve: Resolve) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the payload with its references resolved, and their ids. Raises `UnknownId`."""
    refers = _refers(payload)
    citing = _Citing(resolve)
    logical = payload.get("kind") in LOGICAL
    own = {key: value for key, value in payload.items() if not (logical and key == "premises")}
    named: list[Any] = []
    if logical and refers:  # {"ref": "F-1"} among the facts is that fact, and no value of one
        for key in ("facts", "rules"):
            named += [one["ref"] for one in own.get(key, []) if _is_reference(one)]
            own |= {key: [one for one in own[key] if not _is_reference(one)]} if key in own else {}
    walked = {key: citing.walked(value) for key, value in own.items()} if refers else own
    if payload.get("kind") == "cases" and isinstance(walked.get("cases"), list):
        walked |= {"cases": [_past_case(one) for one in walked["cases"]]}
    if logical:
        premises = payload.get("premises", [])
        facts, rules = citing.premises([*premises, *named] if isinstance(premises, list) else premises)
        walked |= {"facts": [*walked.get("facts", []), *facts]} if facts else {}
        walked |= {"rules": [*walked.get("rules", []), *rules]} if rules else {}
    return walked, tuple(citing.cited)


_WENT = {"success": 1.0, "partial_failure": 0.5, "failure": 0.0}
"""The result of a case, from 0 to 1, by its outcome; an open one has none."""


def _past_case(value: object) -> object:
    """Return a case that is kept as a problem of cases writes it; anything else as it is."""
    match value:
        case {"id": name, "situation": {"beliefs": beliefs, "desires": desires}, "outcome": {"status": status}, **rest}:
            if status not in _WENT:
                raise InvalidArgument(f"case {name} is {status}: its result is not known yet", argument="cases")
            plain_solution = {
                key: one if isinstance(one, int | float) else str(one)
                for key, one in dict(rest.get("solution", {})).items()  # type: ignore[call-overload]
            }
            return {
                "id": name,
                "beliefs": beliefs,
                "desires": desires,
                "solution": plain_solution,
                "outcome": _WENT[str(status)],
            }
    return value


def _is_reference(value: object) -> bool:
    return isinstance(value, Mapping) and set(value) == {"ref"}


def _refers(payload: Mapping[str, Any]) -> bool:
    """Return whether anything in a payload is a reference.

    Raises `InvalidArgument` for a payload nested deeper or longer than anyone writes, before anything reads it.
    """
    level: list[Any] = [payload]
    refers, values = False, 0
    for _ in range(DEEPEST):
        values += sum(map(len, level))
        at_most(values, LARGEST, "values", argument="problem")
        for one in level:
            if not isinstance(one, list):
                _check_apart(one)
                refers = refers or "ref" in one
        level = [
            inner
            for one in level
            for inner in (one if isinstance(one, list) else one.values())
            if type(inner) not in _PLAIN
        ]
        level = [one for one in level if isinstance(one, (list, dict, Mapping))]  # a union is slower
        if not level:
            return refers
    raise InvalidArgument(f"the problem is nested more than {DEEPEST} levels deep", argument="problem")


def _check_apart(value: Mapping[Any, object]) -> None:
    """Raise `InvalidArgument` where two keys read as one name: one of them would be lost without a word."""
    names = [str(key).strip() for key in value]
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidArgument(f"{name!r} occurs twice, apart from spaces at its ends", argument="problem")
        seen.add(name)


@dataclass(slots=True)
class _Citing:
    """A walk through a payload, and the ids it met."""

    resolve: Resolve
    cited: dict[str, None] = field(default_factory=dict)

    def known(self, name: object) -> KnownPremise:
        if not isinstance(name, str):
            msg = f"a premise is the id of a fact, belief, rule or case, not {name!r}"
            raise InvalidArgument(msg, argument="premises")
        self.cited[name] = None
        return self.resolve(name)

    def premises(self, names: object) -> tuple[list[Any], list[Any]]:
        """Return the facts and the rules that were named."""
        if not isinstance(names, list):
            raise InvalidArgument("premises must be a list of ids", argument="premises")
        said = [self.known(name).said for name in names]
        facts = [one.model_dump() for one in said if isinstance(one, Premise)]
        return facts, [dict(one) for one in said if not isinstance(one, Premise)]

    def walked(self, value: object) -> Any:
        match value:
            case {"ref": name, **rest}:
                return _worth(self.known(name), rest)
            case Mapping():
                return {key: self.walked(inner) for key, inner in value.items()}
            case list():
                return [self.walked(inner) for inner in value]
        return value


def _worth(known: KnownPremise, rest: Mapping[object, object]) -> object:
    """Return the value that replaces a reference."""
    if rest == {"as": "confidence"}:
        return known.confidence
    if rest:
        raise InvalidArgument('next to "ref", only "as": "confidence" is supported', argument="ref")
    if not isinstance(known.said, Premise):
        return dict(known.said)
    quantity = parse_quantity(known.said.object)
    return known.said.object if quantity is None or quantity.unit == "date" else float(quantity.amount)
