"""Figures of a business and their watchers: those of a pack, and those introduced with a target or a question.

figure = BusinessFigure(name="no_show_rate", unit="%", target="< 6%", owner="coo")
wish(figure).target                    # 'no_show_rate < 6%'
alarm(figure).trigger                  # 'no_show_rate >= 6%'
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.section import FrozenData
from mabos.mind.conditions import fault, is_comparison, negation, parse
from mabos.society.figure_words import readable
from mabos.society.roles import PlaybookData, Role, StartingDesire, Words
from mabos.workspace.records import declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.text import STOPWORDS, terms
from mabos.workspace.view import View

FigureDirection = Literal["", "higher", "lower"]
_BETTER: Mapping[str, FigureDirection] = {"<": "lower", "<=": "lower", ">": "higher", ">=": "higher"}
SAID = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": "exactly"}
TREND = "trend_"
OWNER = "owner"
"""The source of a value, and the beginning of a reason, that the owner gave."""
_EMPTY = STOPWORDS | frozenset(
    terms("rate share number count total average percent time keep view chief officer month")
)
_SHORT = 3


class BusinessFigure(FrozenData):
    """A number that a business measures; `target` is a comparison without the name, `owner` the role watching it.

    `also` are other names that people use for it.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
    title: str = ""
    unit: str = ""
    target: str = ""
    direction: FigureDirection = ""
    owner: str = ""
    also: Words = ()

    @model_validator(mode="after")
    def _target_is_a_comparison(self) -> Self:
        if self.target and (not is_comparison(self.condition) or fault(self.condition)):
            raise ValueError(f"target {self.target!r} of {self.name} is not a comparison such as '< 6%' or '>= 40000'")
        return self

    @property
    def called(self) -> str:
        """Return its display name."""
        return self.title or self.name.replace("_", " ")

    @property
    def condition(self) -> str:
        """Return the target as a condition, or an empty text."""
        return f"{self.name} {self.target}".strip() if self.target else ""

    @property
    def better(self) -> FigureDirection:
        """Return the direction that is better: the given one, else that of the target."""
        if self.direction or not self.target:
            return self.direction
        clauses = [clause for found in parse(self.condition) for clause in found]
        return _BETTER.get(clauses[0].op, "") if len(clauses) == 1 else ""


@record("figures.json", "figures", noun="watched figure", optional=("target", "direction", "title", "unit", "sources"))
@dataclass(frozen=True, slots=True)
class WatchedFigure:
    """A figure that an agent watches although its role does not, and why; `id` is the name of its series.

    `sources` are all that set a target for it, so that rereading an earlier one does not restore it.
    """

    id: str
    owner: str
    because: str
    target: str = ""
    direction: FigureDirection = ""
    title: str = ""
    unit: str = ""
    created_at: str = ""
    sources: tuple[str, ...] = ()


def open_figures(directory: Path, sync: Sync) -> View[WatchedFigure]:
    """Return the figures of the business in `directory` that have an owner."""
    return View(declaration(WatchedFigure).open(directory, sync), WatchedFigure)


def target_words(condition: str, unit: str = "") -> str:
    """Return the bounds of a condition in words, with units.

    >>> target_words("no_show_rate < 6%"), target_words("price >= 20 and price <= 25", "GBP")
    ('below 6%', 'between £20 and £25')
    """
    clauses = [clause for found in parse(condition) for clause in found]
    if [one.op for one in clauses] == [">=", "<="]:
        return f"between {readable(clauses[0].value, unit)} and {readable(clauses[1].value, unit)}"
    said = " and ".join(f"{SAID.get(one.op, one.op)} {readable(one.value, unit)}" for one in clauses)
    return "at 0" if said == "at most 0" else said


def wish(figure: BusinessFigure) -> StartingDesire:
    """Return the desire of the agent that owns a figure with a target."""
    name = f"Keep {figure.called} {target_words(figure.condition, figure.unit)}"
    return StartingDesire(
        name=name, description=name, type="maintain", category="terminal", base=0.8, importance=0.8, urgency=0.6,
        alignment=1.0, target=figure.condition,
    )  # fmt: skip


def alarm(figure: BusinessFigure, reader: str = "stakeholder") -> PlaybookData:
    """Return the playbook that alerts a person when a figure misses its target."""
    wanted = target_words(figure.condition, figure.unit)
    told = f"Target missed. {figure.called[:1].upper()}{figure.called[1:]} (target: {wanted})"
    content = f"{told}: {{trend:{figure.name}}}. What do you know of the cause?"
    message = f'{{"to": "{reader}", "performative": "INFORM", "content": "{content}"}}'
    return PlaybookData(
        name=f"Alarm for {figure.called}",
        trigger=negation(figure.condition),
        steps=(f"Tell the owner: agent_message {message}", f"? {figure.name} != unknown"),
        success=figure.condition,
    )


def owner_among(words: str, roles: Iterable[Role]) -> str:
    """Return the role responsible for a figure, by the words of its responsibilities; without a match, the chief."""
    duties = {
        role.id: (role.title, role.department, *role.responsibilities, *role.expertise, *role.watches) for role in roles
    }
    return likely_owner(words, duties) or "ceo"


def likely_owner(words: str, duties: Mapping[str, Iterable[str]]) -> str:
    """Return the owner whose duties share most words with a figure, the first among equals; "" without a match."""
    wanted = _stems(words)
    shared = {who: len(wanted & _stems(" ".join(said))) for who, said in duties.items()}
    best = max(shared, key=lambda who: shared[who], default="")
    return best if best and shared[best] else ""


def _stems(text: str) -> set[str]:
    words = terms(text.replace("_", " ").replace("-", " "))
    return {one[:-1] if one.endswith("s") and len(one) > _SHORT else one for one in words if one not in _EMPTY}
