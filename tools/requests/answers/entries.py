"""Named records that people ask about, as uniform entries: a kind, a name, and comparable fields.

entries = entries_of(agent)
[one.cells["due"].text for one in entries if one.name == "Boathouse roof"]      # ["26 March 2027"]
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.amounts import amounts_in
from mabos.language.request import Claim
from mabos.society.campaigns import ALL_SEGMENTS, commitment
from mabos.tools.requests.outcome import describe_record
from mabos.tools.requests.records import section
from mabos.tools.requests.wording import day, format_count, join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import home, money

Field = Literal[
    "cost", "weekly", "weeks", "rate", "due", "since", "who", "channel", "phone", "email", "company", "skills",
    "availability", "stage",
]  # fmt: skip
KindName = Literal[
    "campaigns", "work_packages", "contractors", "contacts", "deals", "prices", "letters", "decisions", "rules"
]
State = Literal["open", "over"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in its form for a reply, and for comparison (a number, an ISO date, or a text)."""

    text: str
    order: float | str = ""
    stored: str = ""
    """The name of the field in the record, for the claim."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record: its noun, its synonyms, and the labels of its fields."""

    name: KindName
    noun: str
    words: re.Pattern[str]
    labels: Mapping[Field, str] = field(default_factory=dict)
    costs: Field = "cost"
    """The field that "dear" and "cheap" speak of."""


def _kind(name: KindName, noun: str, words: str, labels: Mapping[Field, str], costs: Field = "cost") -> Kind:
    return Kind(name, noun, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), labels, costs)


_FILE = "requests/record_kinds.yaml"
KINDS: Mapping[KindName, Kind] = {name: _kind(name, **packaged_yaml(_FILE)[name]) for name in get_args(KindName)}
"""What people ask about by name or by kind."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record: its kind and name, its fields, whether it is over, and the words besides its name that select it."""

    kind: Kind
    id: str
    name: str
    cells: Mapping[Field, Cell]
    words: tuple[str, ...] = ()
    state: State = "open"
    note: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its kind and id."""
        return f"{self.kind.name}/{self.id}"

    def claims(self, fields: Sequence[Field], at: str) -> tuple[Claim, ...]:
        """Return the claims about it if these fields are named."""
        cells = [self.cells[one] for one in fields if one in self.cells]
        return tuple(Claim(self.key, one.stored, self.record.get(one.stored, one.text), at) for one in cells) or (
            Claim(self.key, "name", self.name, at),
        )

    def say(self, fields: Sequence[Field]) -> str:
        """Return these fields in words, noting the missing ones; all fields if none is given."""
        if not fields:
            return self._whole()
        told = [self._cell(one) for one in fields if one in self.cells]
        lacking = [_NAMES.get(one, self.kind.labels[one]) for one in fields if one not in self.cells]
        gaps = [f"no {join_words(lacking, 'and no')} is on record"] if lacking else []
        return f"{self.label}: {join_words([*told, *gaps])} ({self._behind()})"

    @property
    def label(self) -> str:
        """Its name in the form for a reply."""
        return self.name if self.kind.name in ("contacts", "contractors") else quote_text(self.name)

    def _cell(self, name: Field) -> str:
        label, text = self.kind.labels[name], self.cells[name].text
        return f"{text} {label}" if label == "a week" else f"{label} {text}"

    def _behind(self) -> str:
        status = str(self.record.get("status", ""))
        name = "" if self.kind.name == "letters" else self.id  # letters of one text have no id in common
        return ", ".join(filter(None, (name, self.note or status.replace("_", " "))))

    def _whole(self) -> str:
        if self.kind.name in ("campaigns", "work_packages"):
            return describe_record(self.kind.name, self.record).rstrip(".")
        told = [self._cell(one) for one in self.kind.labels if one in self.cells]
        return f"{self.label}: {', '.join(told) or 'no more is on record'} ({self._behind()})"


_NAMES: Mapping[Field, str] = {
    "due": "deadline", "who": "name", "since": "day", "channel": "channel", "weekly": "weekly sum", "weeks": "duration"
}  # fmt: skip


def entries_of(agent: Agent) -> tuple[Entry, ...]:
    """Return the named records of the agent's business, in order of creation."""
    if not agent.business_id:
        return ()
    return tuple(one for read in _READERS for one in read(agent))


def _cells(**cells: Cell | None) -> Mapping[Field, Cell]:
    return {name: one for name, one in cells.items() if one is not None}  # type: ignore[misc]  # names of Field


def _money(value: object, stored: str) -> Cell | None:
    amount = float(value) if isinstance(value, int | float) else 0.0
    return Cell(money(amount), amount, stored) if amount else None


def _date(value: object, stored: str) -> Cell | None:
    text = str(value or "")
    return Cell(day(text), text[:10], stored) if text else None


def _text(value: object, stored: str) -> Cell | None:
    text = join_words(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return Cell(text, text.casefold(), stored) if text else None


def _weeks(value: object) -> Cell | None:
    return Cell(format_count(int(value), "week"), float(value), "weeks") if isinstance(value, int) else None


def _campaigns(agent: Agent) -> Iterator[Entry]:
    for one in section(agent, "campaigns"):
        total = commitment(float(one["weekly_budget_usd"]), int(one["weeks"]))
        cells = _cells(
            cost=Cell(money(total), total, "weekly_budget_usd"),
            weekly=_money(one["weekly_budget_usd"], "weekly_budget_usd"),
            weeks=_weeks(one["weeks"]),
            channel=_text(one.get("channel"), "channel"),
            since=_date(one.get("created_at"), "created_at"),
        )
        state: State = "over" if one.get("status") in ("stopped", "completed") else "open"
        words = (f"on {one.get('channel')}",)
        yield Entry(KINDS["campaigns"], str(one["id"]), str(one["name"]), cells, words, state, record=one)


def _packages(agent: Agent) -> Iterator[Entry]:
    names = {str(one["id"]): str(one["name"]) for one in section(agent, "contractors")}
    for one in section(agent, "work_packages"):
        holder = str(one.get("assigned_to") or "")
        cells = _cells(
            cost=_money(one.get("budget_usd"), "budget_usd"),
            due=_date(one.get("deadline"), "deadline"),
            who=Cell(names.get(holder, holder) or "nobody yet", holder, "assigned_to"),
            since=_date(one.get("created_at"), "created_at"),
        )
        state: State = "over" if one.get("status") in ("complete", "failed", "cancelled") else "open"
        skills = tuple(map(str, one.get("required_skills") or ()))
        yield Entry(KINDS["work_packages"], str(one["id"]), str(one["title"]), cells, skills, state, record=one)


def _contractors(agent: Agent) -> Iterator[Entry]:
    for one in section(agent, "contractors"):
        rate = float(one["hourly_rate_usd"])
        cells = _cells(
            rate=Cell(f"{money(rate)} an hour", rate, "hourly_rate_usd"),
            skills=_text(one.get("skills"), "skills"),
            availability=_text(one.get("availability"), "availability"),
        )
        yield Entry(
            KINDS["contractors"], str(one["id"]), str(one["name"]), cells, tuple(one.get("skills") or ()), record=one
        )


def _contacts(agent: Agent) -> Iterator[Entry]:
    for one in section(agent, "contacts"):
        cells = _cells(
            phone=_text(one.get("phone"), "phone"),
            email=_text(one.get("email"), "email"),
            company=_text(one.get("company"), "company"),
        )
        words = (
            *map(str, one.get("tags") or ()),
            *(str(one.get(name) or "") for name in ("segment", "standing", "company")),
        )
        name = str(one.get("name") or one["email"])
        yield Entry(KINDS["contacts"], str(one["id"]), name, cells, tuple(filter(None, words)), record=one)


def _deals(agent: Agent) -> Iterator[Entry]:
    names = {str(one["id"]): str(one.get("name") or one["email"]) for one in section(agent, "contacts")}
    for one in section(agent, "deals"):
        stage = str(one.get("stage") or "")
        cells = _cells(
            cost=_money(one.get("value_usd"), "value_usd"),
            due=_date(one.get("expected_close"), "expected_close"),
            who=_text(names.get(str(one.get("contact_id")), ""), "contact_id"),
            stage=_text(stage, "stage"),
        )
        state: State = "over" if stage in ("won", "lost") else "open"
        yield Entry(KINDS["deals"], str(one["id"]), str(one["title"]), cells, (stage,), state, stage, one)


def _prices(agent: Agent) -> Iterator[Entry]:
    """Yield the newest price of each product, segment and interval: the price for new customers."""
    products = {str(one["id"]): str(one["name"]) for one in section(agent, "products")}
    active = [one for one in section(agent, "prices") if one.get("active", True)]
    newest = {(one.get("product"), one.get("segment"), one.get("interval"), one.get("currency")): one for one in active}
    for one in newest.values():
        name = products.get(str(one.get("product")), "")
        if name and str(one.get("currency", "usd")).upper() == home():
            amount = int(one["unit_amount"]) / 100
            per = f" a {one['interval']}" if one.get("interval") else ""
            segment = str(one.get("segment") or ALL_SEGMENTS)
            note = "" if segment == ALL_SEGMENTS else f"for {segment}"
            cells = _cells(cost=Cell(f"{money(amount)}{per}", amount, "unit_amount"))
            yield Entry(KINDS["prices"], str(one["id"]), name, cells, (), "open", note, one)


def _letters(agent: Agent) -> Iterator[Entry]:
    """Yield the letters that were sent or written, one entry for all readers of one text."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for one in (known for known in section(agent, "letters") if known.get("status") == "sent"):
        groups.setdefault(str(one.get("mailing") or one["id"]), []).append(one)
    for key, sent in groups.items():
        to = [str(one["to"]) for one in sent]
        cells = _cells(
            who=Cell(f"{format_count(len(to), 'reader')}: {join_words(to[:12])}", float(len(to)), "to"),
            since=_date(sent[0].get("sent_at") or sent[0].get("at"), "at"),
        )
        is_local = all(str(one.get("place", "")).startswith("mail/") for one in sent)
        note = "written to the folder mail/sent, because no mail server is configured" if is_local else ""
        yield Entry(KINDS["letters"], key, str(sent[0].get("subject") or key), cells, (), "open", note, sent[0])


def _decisions(agent: Agent) -> Iterator[Entry]:
    """Yield the agent's open decisions, with the values of each action."""
    now = agent.clock()
    for one in (known.as_of(now) for known in agent.services.decisions(agent.business_id).all()):
        if one.open and one.from_agent == agent.id:
            arguments = one.action["arguments"] if one.action is not None else {}
            name = str(arguments.get("name") or arguments.get("title") or one.subject)
            cells = _cells(
                cost=_money(one.notable_cost, "cost") or _cost_of_advice(one.options, one.recommendation),
                due=_date(arguments.get("deadline") or one.deadline, "deadline"),
                weekly=_money(arguments.get("weekly_budget_usd"), "action"),
                weeks=_weeks(arguments.get("weeks")),
                since=_date(one.created_at, "created_at"),
            )
            note = "it waits for your decision"
            yield Entry(KINDS["decisions"], one.id, name, cells, (one.subject,), "open", note, {"subject": one.subject})


def _cost_of_advice(options: Sequence[Mapping[str, Any]], advised: str) -> Cell | None:
    """Return the sum that the advised option names as its impact; without advice, the impact of each option."""
    impacts = [f"{one['impact']} ({one.get('label', '')})" for one in options if one.get("impact")]
    if impacts and not advised:
        return Cell(join_words(impacts, "or"), "", "options")
    for one in options:
        if str(one.get("id")) == advised:
            sums = [found for found in amounts_in(str(one.get("impact", ""))) if found.kind == "money"]
            if len(sums) == 1:
                return Cell(str(one.get("impact", "")), sums[0].value, "options")
    return None


def _rules(agent: Agent) -> Iterator[Entry]:
    for one in agent.business.instructions.all():
        if one.is_in_force:
            per = f" a {one.per}" if one.per in ("day", "week", "month") else " in total" if one.amount else ""
            cells = _cells(
                cost=Cell(f"{money(one.amount)}{per}", one.amount, "amount") if one.amount else None,
                since=_date(one.created_at, "created_at"),
                who=Cell("every agent of the business", "", "who"),
            )
            yield Entry(KINDS["rules"], one.id, one.sentence, cells, (), "open", "in force", {"amount": one.amount})


_READERS: Sequence[Callable[[Agent], Iterator[Entry]]] = (
    _campaigns,
    _packages,
    _contractors,
    _contacts,
    _deals,
    _prices,
    _letters,
    _decisions,
    _rules,
)
