"""The roles of a question by name, with what is missing, for the builders of forms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.forms import FilledForm, Reading, Upshot
from mabos.knowledge.reasoning.questions.roles import TABLE, RoleMark, RoleReading
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, percent
from mabos.knowledge.reasoning.result import MethodResult

LACKS: Mapping[str, str] = TABLE["lacks"]


class MissingRole(Exception):  # not an error: the question is answered with what it lacks
    """A role that a method needs and no figure or name of the question has."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of a question by name, for a builder."""

    q: Phrasing
    reading: RoleReading
    ask: str
    kind: str = ""
    used: set[str] = field(default_factory=set)

    def of(self, role: str, group: int | None = None) -> list[RoleMark]:
        """Return the marks of a role, which count as used."""
        self.used.add(role)
        return self.reading.of(role, group)

    def mark(self, role: str, group: int | None = None) -> RoleMark | None:
        """Return the only mark of a role; raises `LookupError` if several figures have it."""
        found = self.of(role, group)
        if len({one.value if one.slot else one.words.lower() for one in found}) > 1:
            raise LookupError(role)
        return found[0] if found else None

    def get(self, role: str, group: int | None = None) -> float | None:
        """Return the value of a role, or None."""
        found = self.mark(role, group)
        return found.value if found else None

    def require(self, role: str, group: int | None = None) -> float:
        """Return the value of a role; raises `MissingRole` without one."""
        found = self.get(role, group)
        if found is None:
            raise MissingRole(self.lack(role, group))
        return found

    def has(self, *roles: str) -> bool:
        """Return whether any figure or name has one of these roles."""
        return any(self.reading.of(role) for role in roles)

    def lack(self, role: str, group: int | None = None) -> str:
        """Return the words for a missing role."""
        name = self.name(group) if group else ""
        return f"{LACKS.get(role, role.replace('_', ' '))}{f' of {name}' if name else ''}"

    def groups(self) -> list[int]:
        """Return the numbers of the records."""
        return sorted({one.group for one in self.reading.marks if one.group})

    def name(self, group: int | None) -> str:
        """Return the name of a record, or its number."""
        found = self.reading.of("name", group)
        return found[0].words if found else f"number {group}"

    def names(self) -> dict[int, str]:
        """Return the names of all records; raises `MissingRole` without them, `LookupError` if two are alike."""
        found = {group: self.name(group) for group in self.groups()}
        if any(not self.reading.of("name", group) for group in found):
            raise MissingRole("the name of each option")
        if len({name.lower() for name in found.values()}) < len(found):
            raise LookupError("name")
        return found

    def tell(
        self, given: Mapping[str, float], expression: str, template: str, *, assumes: str = "", short: str = ""
    ) -> Reading:
        """Return the form of a calculation; `{v}` and `{p}` of the sentence are its value as a number and a share."""
        return self.sums(
            given,
            expression,
            lambda v: Upshot(template.replace("{v}", figure(v)).replace("{p}", percent(v)), short or v),
            assumes,
        )

    def echo(self) -> str:
        """Return each role with the words that it came from, and the name of its record."""
        parts, last = list[str](), None
        for one in self.reading.marks:
            if one.role in ("-", "name"):
                continue
            named = one.group and one.group != last and self.reading.of("name", one.group)
            last = one.group or last
            parts.append(f"{f'{self.name(one.group)}: ' if named else ''}{one.role.replace('_', ' ')} {one.words}")
        return ", ".join(parts)

    def sums(
        self, given: Mapping[str, float], text: str, says: Callable[[float], Upshot], assumes: str = ""
    ) -> Reading:
        """Return the form of a calculation."""
        return build_calculation(given, text, "outcome", self.echo(), says, assumes=assumes)

    def form(
        self, method: str, problem: Mapping[str, Any], says: Callable[[MethodResult[Any]], Upshot], assumes: str = ""
    ) -> FilledForm:
        """Return the form of a method."""
        return FilledForm(method, problem, self.echo(), says, assumes=assumes)
