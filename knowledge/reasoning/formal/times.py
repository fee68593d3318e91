"""Problems of time: relations between intervals, and points in time with bounds between them."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Finite, Name, Part, Problem

Relation = Literal[
    "before", "after", "meets", "met-by", "overlaps", "overlapped-by", "starts", "started-by", "during", "contains",
    "finishes", "finished-by", "equals",
]  # fmt: skip


class Related(Part):
    """What may hold between two intervals: one of these relations."""

    first: Name
    relations: Annotated[tuple[Relation, ...], Field(min_length=1)]
    second: Name


class Intervals(Problem):
    """Relations between intervals (Allen 1983), and the pair that is asked about."""

    kind: Literal["intervals"] = "intervals"
    relations: Annotated[tuple[Related, ...], Field(min_length=1)]
    query: tuple[Name, Name] | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "intervals",
        "relations": [
            {"first": "design", "relations": ["meets"], "second": "build"},
            {"first": "test", "relations": ["during"], "second": "build"},
        ],
        "query": ["design", "test"],
    }

    @model_validator(mode="after")
    def _query_is_known(self) -> Self:
        strange = sorted(set(self.query or ()) - set(self.names))
        if strange:
            msg = f"{strange[0]!r} is asked about and stands in no relation"
            raise ValueError(msg)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The intervals, as they are first named."""
        return tuple(dict.fromkeys(name for one in self.relations for name in (one.first, one.second)))


class Bound(Part):
    """`after` comes at least and at most so long after `before`; a bound that is left out is none."""

    before: Name
    after: Name
    at_least: Finite | None = None
    at_most: Finite | None = None
    id: str = ""

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a bound is at_least, at_most or both")
        return self


class Timeline(Problem):
    """Events with bounds on the time between them (Dechter, Meiri and Pearl 1991), in any one unit.

    Exactly one of the bounds of each list in `either` holds. Times are from `start`, which comes first.
    """

    kind: Literal["timeline"] = "timeline"
    start: Name = "start"
    bounds: tuple[Bound, ...] = ()
    either: tuple[Annotated[tuple[Bound, ...], Field(min_length=1)], ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "timeline",
        "bounds": [
            {"before": "start", "after": "design done", "at_least": 5, "at_most": 8},
            {"before": "design done", "after": "shipped", "at_least": 10},
            {"before": "start", "after": "shipped", "at_most": 20},
        ],
    }

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if not self.bounds and not self.either:
            raise ValueError("a timeline has at least one bound")
        return self

    @property
    def events(self) -> tuple[str, ...]:
        """The events, the start first."""
        every = [*self.bounds, *(one for choice in self.either for one in choice)]
        return tuple(dict.fromkeys((self.start, *(name for one in every for name in (one.before, one.after)))))
