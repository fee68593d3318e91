"""The problems of the social methods."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Name, Part, Problem
from mabos.knowledge.reasoning.social.bargaining import Bargaining
from mabos.knowledge.reasoning.social.games import Coalitions, ExtensiveForm, NormalForm
from mabos.knowledge.reasoning.social.stakes import Stakeholders
from mabos.knowledge.reasoning.social.votes import Ballots, Committee


class Attack(Part):
    """One argument attacks another."""

    by: Name
    on: Name


class Arguments(Problem):
    """Arguments and who attacks whom (Dung 1995). `prefer` lists pairs: an attack on a preferred argument fails."""

    kind: Literal["arguments"] = "arguments"
    arguments: Annotated[tuple[Name, ...], Field(min_length=1)]
    attacks: tuple[Attack, ...] = ()
    prefer: tuple[tuple[Name, Name], ...] = ()
    query: Name | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "arguments",
        "arguments": ["quaker", "republican", "votes"],
        "attacks": [{"by": "quaker", "on": "republican"}, {"by": "republican", "on": "quaker"}],
        "query": "quaker",
    }

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        known = set(self.arguments)
        if len(known) != len(self.arguments):
            raise ValueError("an argument is named twice")
        pairs = [(attack.by, attack.on) for attack in self.attacks] + list(self.prefer)
        named = {name for pair in pairs for name in pair} | ({self.query} if self.query else set())
        strange = sorted(named - known)
        if strange:
            msg = f"{strange[0]!r} is not among the arguments"
            raise ValueError(msg)
        return self


PROBLEMS: Mapping[str, type[Problem]] = {
    "arguments": Arguments,
    "normal_form": NormalForm,
    "extensive_form": ExtensiveForm,
    "coalition": Coalitions,
    "bargaining": Bargaining,
    "stakeholders": Stakeholders,
    "ballots": Ballots,
    "committee": Committee,
}
