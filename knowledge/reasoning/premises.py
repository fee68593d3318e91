"""What a problem takes from an agent's mind by id, put in before a method sees it.

The layer below does not know the mind: a caller hands in a function from an id to what it says. Two forms:
`{"ref": "F-12"}` in the place of a value stands for the object of that fact or the value of that belief, as a number
where it reads as one (`"as": "confidence"` for how sure it is); `premises: ["F-12", "B-3"]` beside the problem's own
fields adds them to its `facts`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from configs.errors import InvalidArgument
from knowledge.reasoning.problem import Premise
from knowledge.values import number

Resolve = Callable[[str], Premise]
"""From an id to what it says. Raises `UnknownId`."""


@dataclass(slots=True)
class _Citing:
    """A walk through a payload, and the ids it met."""

    resolve: Resolve
    cited: dict[str, None] = field(default_factory=dict)

    def premise(self, name: object) -> Premise:
        if not isinstance(name, str):
            msg = f"a ref is the id of a fact, belief or case, not {name!r}"
            raise InvalidArgument(msg, argument="ref")
        self.cited[name] = None
        return self.resolve(name)

    def walked(self, value: object) -> object:
        match value:
            case {"ref": name, **rest}:
                return self._value(self.premise(name), rest)
            case Mapping():
                return {key: self.walked(inner) for key, inner in value.items()}
            case list():
                return [self.walked(inner) for inner in value]
        return value

    def _value(self, premise: Premise, rest: Mapping[object, object]) -> object:
        match rest:
            case {"as": "confidence"} if len(rest) == 1:
                return premise.confidence
            case {} if not rest:
                worth = number(premise.object)
                return premise.object if worth is None else float(worth)
        msg = 'beside "ref" only "as": "confidence" is understood'
        raise InvalidArgument(msg, argument="ref")


def resolved(payload: Mapping[str, Any], resolve: Resolve) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the payload with what it refers to put in, and the ids it refers to. Raises `UnknownId`."""
    citing = _Citing(resolve)
    named = payload.get("premises", [])
    by_id = payload.get("kind") in FACTUAL and isinstance(named, list) and all(isinstance(one, str) for one in named)
    rest = {key: value for key, value in payload.items() if not (by_id and key == "premises")}
    walked: dict[str, Any] = {key: citing.walked(value) for key, value in rest.items()}
    if by_id and named:
        facts = [citing.premise(one).model_dump() for one in named]
        walked["facts"] = [*walked.get("facts", []), *facts]
    return walked, tuple(citing.cited)


FACTUAL = frozenset({"horn", "explanation", "norms"})
"""The kinds of problem that have `facts`."""
