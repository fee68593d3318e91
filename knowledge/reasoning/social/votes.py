"""Problems of voting: one to be chosen, or a committee."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Finite, Name, Part, Problem

Count = Annotated[int, Field(ge=1, le=10**12)]
Candidates = Annotated[tuple[Name, ...], Field(min_length=1, max_length=200)]
Ballot = Annotated[tuple[Name, ...], Field(max_length=200)]
MOST_BALLOTS = 20_000

Rule = Literal[
    "plurality",
    "anti-plurality",
    "positive-negative",
    "borda",
    "dowdall",
    "copeland",
    "minimax",
    "schulze",
    "ranked pairs",
    "kemeny",
    "instant runoff",
    "instant runoff batch",
    "instant runoff put",
    "coombs",
    "coombs batch",
    "coombs put",
    "runoff",
    "bucklin",
    "simplified bucklin",
    "weighted bucklin",
    "bracket",
    "pareto",
    "approval",
    "range",
    "star",
]
"""How one is chosen. Where several are last, an elimination takes out the one the tie-break likes least, with `batch`
all of them, and with `put` it is tried with each: who wins in any of these universes wins."""

CommitteeRule = Literal[
    "av",
    "sav",
    "cc",
    "pav",
    "seq-pav",
    "revseq-pav",
    "seq-phragmen",
    "minimax-phragmen",
    "equal-shares",
    "greedy-monroe",
]
"""How a committee is chosen (Lackner and Skowron 2023)."""


class Ranking(Part):
    """Candidates from the best; a list inside are equals. Who is left out comes last, and never counts as first."""

    order: tuple[Name | tuple[Name, ...], ...]
    count: Count = 1

    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups of equals from the best."""
        return tuple((level,) if isinstance(level, str) else level for level in self.order)


class Approval(Part):
    """Who is approved of."""

    approved: Ballot
    count: Count = 1


class Scoring(Part):
    """What each is given, more being better; nothing given is a zero."""

    scores: Mapping[Name, Finite]
    count: Count = 1


class Ballots(Problem):
    """Votes for one of the candidates: `rankings`, `approvals` or `scores`.

    `rules` are those that are asked for (none: all that are usual for such ballots), the first decides. `tie_break` is
    the order in which ties are broken, else the order of the candidates.
    """

    kind: Literal["ballots"] = "ballots"
    candidates: Candidates
    rankings: Annotated[tuple[Ranking, ...], Field(max_length=MOST_BALLOTS)] = ()
    approvals: Annotated[tuple[Approval, ...], Field(max_length=MOST_BALLOTS)] = ()
    scores: Annotated[tuple[Scoring, ...], Field(max_length=MOST_BALLOTS)] = ()
    rules: tuple[Rule, ...] = ()
    tie_break: tuple[Name, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "ballots",
        "candidates": ["memphis", "nashville", "chattanooga", "knoxville"],
        "rankings": [
            {"order": ["memphis", "nashville", "chattanooga", "knoxville"], "count": 42},
            {"order": ["nashville", "chattanooga", "knoxville", "memphis"], "count": 26},
            {"order": ["chattanooga", "knoxville", "nashville", "memphis"], "count": 15},
            {"order": ["knoxville", "chattanooga", "nashville", "memphis"], "count": 17},
        ],
    }

    @model_validator(mode="after")
    def _is_one_kind_of_ballots(self) -> Self:
        _check_names("candidates", self.candidates, self.candidates)
        if bool(self.rankings) + bool(self.approvals) + bool(self.scores) != 1:
            raise ValueError("give rankings, or approvals, or scores")
        for ranking in self.rankings:
            _check_names("a ranking", [name for level in ranking.levels() for name in level], self.candidates)
        for approval in self.approvals:
            _check_names("an approval", approval.approved, self.candidates)
        for scoring in self.scores:
            _check_names("a ballot of scores", scoring.scores, self.candidates)
        _check_names("tie_break", self.tie_break, self.candidates)
        if self.tie_break and len(self.tie_break) != len(self.candidates):
            raise ValueError("tie_break names every candidate once, the one preferred first")
        wrong = sorted(set(self.rules) - set(self.possible()))
        if wrong:
            msg = f"{wrong[0]!r} cannot count such ballots; these can: {', '.join(self.possible())}"
            raise ValueError(msg)
        return self

    def possible(self) -> tuple[str, ...]:
        """Return the rules that can count these ballots, those for another form left out."""
        every: tuple[str, ...] = Rule.__args__  # type: ignore[attr-defined]  # the names in a Literal
        if self.approvals:
            return ("approval",)
        return every if self.scores else tuple(name for name in every if name not in ("approval", "range", "star"))


class Committee(Problem):
    """Approvals for a committee of so many `seats`. The first of the `rules` decides; ties go to who is named first."""

    kind: Literal["committee"] = "committee"
    candidates: Candidates
    ballots: Annotated[tuple[Approval, ...], Field(min_length=1, max_length=MOST_BALLOTS)]
    seats: Annotated[int, Field(ge=1)]
    rules: Annotated[tuple[CommitteeRule, ...], Field(min_length=1)] = ("pav", "av", "seq-phragmen", "equal-shares")

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "committee",
        "candidates": ["a", "b", "c", "d", "e", "f", "g", "h"],
        "ballots": [
            {"approved": ["a", "b"], "count": 3},
            {"approved": ["a", "c"], "count": 3},
            {"approved": ["a", "d"], "count": 2},
            {"approved": ["b", "c", "f"]},
            {"approved": ["e"]},
            {"approved": ["f"]},
            {"approved": ["g"]},
        ],
        "seats": 4,
    }

    @model_validator(mode="after")
    def _can_be_filled(self) -> Self:
        _check_names("candidates", self.candidates, self.candidates)
        for ballot in self.ballots:
            _check_names("a ballot", ballot.approved, self.candidates)
        if self.seats > len(self.candidates):
            msg = f"{self.seats} seats are more than the {len(self.candidates)} candidates"
            raise ValueError(msg)
        return self


def _check_names(what: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    """Raise `ValueError` for a name that is not among the candidates, or that is there twice."""
    seen, known_once = set[str](), set(known)
    for name in names:
        if name not in known_once or name in seen:
            msg = f"{what} names {name!r}{' twice' if name in seen else ', which is no candidate'}"
            raise ValueError(msg)
        seen.add(name)
