"""A problem of bargaining: what is on the table, and what it is worth to whom."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Name, Part, Problem

Amount = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]
Counts = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


class Party(Part):
    """What one side wants: how much each issue counts, what each option of it is worth, and what no agreement is worth.

    `discount` is what a utility is still worth a round later. `concession` is how fast this side gives way: below 1 it
    holds out until near the deadline, above 1 it gives way early (Faratin's beta).
    """

    weights: Mapping[Name, Counts] = {}
    values: Mapping[Name, Mapping[Name, Amount]]
    reservation: Amount = 0.0
    discount: Annotated[float, Field(gt=0, le=1)] = 1.0
    concession: Annotated[float, Field(ge=0.01, le=100)] = 1.0


class Bargaining(Problem):
    """Issues with their options, and parties to whom an agreement is worth the weighted sum over the issues.

    The party that is named first makes the first offer; `deadline` is how many offers there can be.
    """

    kind: Literal["bargaining"] = "bargaining"
    issues: Annotated[
        Mapping[Name, Annotated[tuple[Name, ...], Field(min_length=1, max_length=1_000)]],
        Field(min_length=1, max_length=60),
    ]
    parties: Annotated[Mapping[Name, Party], Field(min_length=2, max_length=5)]
    deadline: Annotated[int, Field(ge=1, le=1_000)] = 10

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "bargaining",
        "issues": {"price": ["low", "middle", "high"], "delivery": ["fast", "slow"]},
        "parties": {
            "buyer": {
                "weights": {"price": 0.6, "delivery": 0.4},
                "values": {"price": {"low": 1, "middle": 0.6, "high": 0}, "delivery": {"fast": 1, "slow": 0}},
                "reservation": 0.3,
                "discount": 0.9,
            },
            "seller": {
                "weights": {"price": 0.8, "delivery": 0.2},
                "values": {"price": {"low": 0, "middle": 0.5, "high": 1}, "delivery": {"fast": 0, "slow": 1}},
                "reservation": 0.2,
                "discount": 0.8,
            },
        },
    }

    @model_validator(mode="after")
    def _every_option_has_a_value(self) -> Self:
        for issue, options in self.issues.items():
            if len(set(options)) != len(options):
                msg = f"an option of {issue!r} is named twice"
                raise ValueError(msg)
        for name, party in self.parties.items():
            strange = sorted({*party.weights, *party.values} - set(self.issues))
            if strange:
                msg = f"{name!r} speaks of {strange[0]!r}, which is no issue"
                raise ValueError(msg)
            for issue, options in self.issues.items():
                odd = sorted(set(options) ^ set(party.values.get(issue, ())))
                if odd:
                    known = odd[0] in options
                    msg = f"{name!r} {'gives no value to' if known else 'values'} {odd[0]!r} of {issue!r}"
                    raise ValueError(msg if known else f"{msg}, which is no option")
        return self
