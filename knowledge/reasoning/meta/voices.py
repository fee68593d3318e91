"""Problems of fusion: opinions as distributions, as masses on sets, and as positions that exclude each other."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.problem import Name, Names, Part, Probability, Problem, Weight, summing_to_one
from mabos.knowledge.reasoning.result import Soundness


class Opinion(Part):
    """A distribution over outcomes, how much it counts, and the group whose members share their evidence."""

    distribution: Annotated[Mapping[Name, Probability], Field(min_length=1)]
    weight: Weight = 1.0
    group: str = ""

    @field_validator("distribution")
    @classmethod
    def _sums_to_one(cls, shares: Mapping[str, float]) -> Mapping[str, float]:
        return summing_to_one(shares, "an opinion's shares")


class Opinions(Problem):
    """Opinions on the same outcomes, by source, and how to pool them."""

    kind: Literal["opinions"] = "opinions"
    opinions: Annotated[Mapping[Name, Opinion], Field(min_length=1)]
    pool: Literal["logarithmic", "linear"] = "logarithmic"

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "opinions",
        "opinions": {
            "bayesian": {"distribution": {"yes": 0.8, "no": 0.2}, "weight": 2},
            "cases": {"distribution": {"yes": 0.6, "no": 0.4}},
        },
    }

    @model_validator(mode="after")
    def _has_weight(self) -> Self:
        if not any(one.weight for one in self.opinions.values()):
            raise ValueError("no opinion has any weight")
        return self


class Focal(Part):
    """A set of outcomes and the mass on it: belief that one of them is the case, and no saying which."""

    outcomes: Annotated[frozenset[Name], Field(min_length=1)]
    mass: Probability


class Masses(Problem):
    """What each source believes, as masses on sets of outcomes of one frame; what is left lies on the whole frame."""

    kind: Literal["masses"] = "masses"
    frame: Annotated[Names, Field(min_length=1, max_length=24)]
    sources: Annotated[Mapping[Name, tuple[Focal, ...]], Field(min_length=1, max_length=50)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "masses",
        "frame": ["meningitis", "concussion", "tumour"],
        "sources": {
            "first": [{"outcomes": ["meningitis"], "mass": 0.7}, {"outcomes": ["tumour"], "mass": 0.3}],
            "second": [{"outcomes": ["concussion", "tumour"], "mass": 0.5}],
        },
    }

    @model_validator(mode="after")
    def _lies_on_the_frame(self) -> Self:
        for name, focals in self.sources.items():
            strange = sorted({one for focal in focals for one in focal.outcomes} - set(self.frame))
            if strange:
                msg = f"{name!r} puts mass on {strange[0]!r}, which is not in the frame"
                raise ValueError(msg)
            total = sum(focal.mass for focal in focals)
            if total > 1 + 1e-9:
                msg = f"the masses of {name!r} sum to {total:g}, more than 1"
                raise ValueError(msg)
        return self


class Position(Part):
    """What a source holds on a question, how soundly and how surely."""

    question: Name
    answer: str | float | bool
    soundness: Soundness = 4
    confidence: Probability = 0.5


class Positions(Problem):
    """Positions by source; two on one question with different answers attack each other."""

    kind: Literal["positions"] = "positions"
    positions: Annotated[Mapping[Name, Position], Field(min_length=1, max_length=200)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "positions",
        "positions": {
            "proof": {"question": "legal?", "answer": False, "soundness": 1, "confidence": 0.9},
            "analogy": {"question": "legal?", "answer": True, "soundness": 4, "confidence": 0.8},
        },
    }
