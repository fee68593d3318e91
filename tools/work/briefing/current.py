"""The parts of a briefing that change daily: the date, key figures, and the agent's open work."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from mabos.language.request import Request
from mabos.mind.model import Commitment, Goal, Plan, Step
from mabos.society.decisions import Decision
from mabos.society.messages import Message
from mabos.tools.requests.answers.figures import View
from mabos.tools.requests.answers.sources import Point, Series
from mabos.tools.requests.answers.wording import age
from mabos.tools.work.briefing.parts import KEEP, BriefingPart
from mabos.workspace.currencies import money
from mabos.workspace.text import one_line, shorten

_SHOWN_POINTS = 6
_SENTENCE = 200
_NAMED = 8
_GROUPS = 12
_AMOUNTS = ("weekly_budget_usd", "budget_usd", "value_usd", "hourly_rate_usd", "amount_usd")
_OPEN_GOALS = ("active", "pending", "blocked")


def today(now: datetime) -> BriefingPart:
    """Return the date with the days of this week and the next, so that no date need be computed."""
    monday = now.date() - timedelta(days=now.weekday())
    weeks = [", ".join(_day(monday + timedelta(days=7 * week + number)) for number in range(7)) for week in (0, 1)]
    lines = (
        f"Today is {now:%A}, {now.day} {now:%B %Y} ({now.date().isoformat()}), {now:%H:%M} UTC.",
        f"This week: {weeks[0]}. Next week: {weeks[1]}.",
    )
    return BriefingPart("Date", lines, worth=9, floor=KEEP, supports="nothing")


def figures(series: Sequence[Series], targets: Mapping[str, Sequence[str]], on: date) -> BriefingPart:
    """Return each figure with its latest value, date, source, trend and target, most relevant first."""
    lines = tuple(_figure(View(one, on), targets.get(one.name, ())) for one in series if one.points)
    return BriefingPart("Figures on record", lines, worth=6, floor=min(3, len(lines)))


def inventory(sections: Mapping[str, Sequence[Mapping[str, Any]]]) -> BriefingPart:
    """Return the kinds of records: the number in each section, and words that distinguish contacts."""
    lines = list[str]()
    for name, found in sections.items():
        if not found:
            continue
        line = f"- {name}: {len(found)}"
        if name == "contacts":
            named = [
                f"{one.get('name') or one['email']} ({one.get('company')})".replace(" (None)", "") for one in found
            ]
            line += f": {', '.join(named).replace(' ()', '')}" if len(found) <= _NAMED else ""
            line += "".join(f"; {label} {counts}" for label, counts in _groups(found) if counts)
        elif name == "prices":
            line += f": {'; '.join(_describe_offers(found))}"
        elif len(found) <= _NAMED:
            line += f": {'; '.join(_record(one) for one in found)}"
        lines.append(line)
    return BriefingPart("Records, for the tool records", tuple(lines), worth=5, floor=min(4, len(lines)))


def _describe_offers(prices: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the present price for each segment: the newest active price that names it."""
    newest = {str(one.get("segment")): one for one in sorted(prices, key=_since) if one.get("active", True)}
    return [
        f"{segment} {money(float(one.get('unit_amount', 0)) / 100)} a {one.get('interval') or 'sale'} ({one.get('id')})"
        for segment, one in sorted(newest.items())
    ]


def _since(price: Mapping[str, Any]) -> tuple[str, str]:
    return str(price.get("created_at", "")), str(price.get("id", ""))


def _groups(contacts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each way to group contacts with the values and how many have them."""
    for label, field in (("tags", "tags"), ("segments", "segment"), ("standing", "standing"), ("companies", "company")):
        counts = Counter(value for one in contacts for value in _values(one.get(field)))
        if 0 < len(counts) <= _GROUPS:
            yield label, ", ".join(f"{value} ({number})" for value, number in counts.most_common())
        elif counts:
            yield label, f"{len(counts)} different"
    known = {"id", "email", "name", "tags", "segment", "standing", "company", "touches", "interactions", "won_usd"}
    others = sorted({field for one in contacts for field, value in one.items() if value and field not in known})
    yield "other fields", ", ".join(one for one in others if not one.endswith(("_at", "_by")) and one != "fields")


def _values(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)] if value else []


def _record(one: Mapping[str, Any]) -> str:
    name = str(one.get("name") or one.get("title") or one.get("subject") or "")
    told = [str(one[field]) for field in ("status", "stage") if one.get(field)]
    if str(one.get("place", "")).startswith("mail/"):  # a folder of this computer is no mail server
        told = [f"written to {str(one['place']).rpartition('/')[0]}, not sent"]
    told += [money(float(one[field])) for field in _AMOUNTS if isinstance(one.get(field), int | float)]
    return f"{one.get('id')} {name} ({', '.join(told)})" if told else f"{one.get('id')} {name}".rstrip()


def open_work(goals: Iterable[Goal], proposals: int = 0) -> BriefingPart:
    """Return the agent's open goals, most important first."""
    found = sorted((one for one in goals if one.status in _OPEN_GOALS), key=lambda one: -one.priority)
    lines = [
        f"- {one.id} {one.description} ({one.status}"
        + (f", {one.progress:.0f}% done" if one.progress else "")  # what nothing measures is no "0%"
        + (f", target {one.target}" if one.target else "")
        + (f", due {one.deadline[:10]}" if one.deadline else "")
        + ")"
        for one in found
        if not one.request_id
    ]
    if proposals:
        lines.append(f"- {proposals} proposals of your own wait for the owner; they are no orders.")
    return BriefingPart("Your own goals", tuple(lines), worth=2, supports="facts")


def orders(requests: Sequence[Request], plans: Mapping[str, Plan], results: Mapping[str, str]) -> BriefingPart:
    """Return the requests of people and colleagues, newest first: ids, states, open steps, and outcomes.

    `plans` are by goal id, `results` the records of an order by its id.
    """
    lines = list[str]()
    for one in reversed(requests):
        operation = f" [{one.operation}]" if one.operation else ""
        until = one.wanted_by or str(one.slot("deadline") or "")
        due = f", {'next on' if one.status == 'standing' else 'until'} {until[:10]}" if until else ""
        line = (
            f"- {one.id}{operation} from {_who(one.sender)}: "
            f"{_shorten_text(one.sentence)}{_describe_amendment(one)} ({one.status}{due})"
        )
        plan = plans.get(one.goal_id)
        steps = [_step(step) for step in plan.steps] if plan is not None and one.status == "underway" else []
        result = [f"  On record: {_shorten_text(results[one.id])}"] if results.get(one.id) else []
        lines.append("\n".join([line, *steps, *result]))
    return BriefingPart("Orders on record, newest first", tuple(lines), worth=7, floor=min(4, len(lines)))


def _describe_amendment(request: Request) -> str:
    """Return the values of an order that was changed: its words have the old ones."""
    if not request.data.get("amended"):
        return ""
    values = [f"{one.name} {_shorten_text(str(one.value))}" for one in request.slots]
    return f"; changed, now {', '.join(values)}"


def commitments(found: Iterable[Commitment], on: date) -> BriefingPart:
    """Return the open commitments from orders, or due within two weeks."""
    soon = (on + timedelta(days=14)).isoformat()
    lines = tuple(
        f"- {one.id}: {f'{one.owed_by} owes you' if one.owed_by else f'you owe {one.counterparty}'}: "
        f"{_shorten_text(one.terms)}" + (f", due {one.deadline[:10]}" if one.deadline else "")
        for one in found
        if one.status == "open" and (one.about.startswith("REQ-") or (one.deadline and one.deadline[:10] <= soon))
    )
    return BriefingPart("Commitments", lines, worth=4)


def build_colleague_part(messages: Sequence[Message], titles: Mapping[str, str]) -> BriefingPart:
    """Return colleagues' recent messages, newest first; `titles` are their titles for people."""
    lines = list[str]()
    for one in reversed(messages):
        who = titles.get(one.sender, one.sender)
        lines.append(f"- {who}, {one.timestamp[:10]}: {_shorten_text(one.content)} ({one.performative}, {one.id})")
    return BriefingPart("What colleagues said lately", tuple(lines), worth=3)


def decisions(found: Iterable[Decision], agent_id: str) -> BriefingPart:
    """Return the decisions pending with the owner: the date, the reason, and the agent's recommendation."""
    waiting = [one for one in found if one.open and one.from_agent == agent_id]
    lines = tuple(_waiting_decision(one) for one in reversed(waiting))
    return BriefingPart("Waiting for the owner's decision", lines, worth=6, floor=min(2, len(lines)))


def _waiting_decision(one: Decision) -> str:
    line = f"- {one.id}: {_shorten_text(one.subject)}" + (f", {money(one.cost)}" if one.cost else "")
    labels = {str(each.get("id", "")): str(each.get("label", "")) for each in one.options}
    reason = "" if one.action else _shorten_text(one.description)  # that of a call says the subject again
    advice = "" if one.action else labels.get(one.recommendation, "")
    told = [
        f"since {one.created_at[:10]}",
        *([reason] if reason else []),
        *([f"you recommend {advice!r}"] if advice else []),
    ]
    return f"{line} ({'; '.join(told)})"


def _figure(view: View, targets: Sequence[str]) -> str:
    points = view.series.points
    latest = points[-1]
    if latest.is_disputed:
        said = " and ".join(f"{view.say(one.value)} ({one.source})" for one in latest.values)
        line = f"- {view.label}, {view.when(latest.day)}: the sources differ, {said}"
    else:
        line = f"- {view.label}: {view.say(latest.value)}, {view.when(latest.day)} ({latest.values[0].source})"
    if old := age(latest.day, view.today, view.by):
        line += f", {old} old"
    if before := points[-_SHOWN_POINTS:-1]:
        line += f"; before: {', '.join(_course(view, one) for one in before)}"
    return line + "".join(f"; target {one}" for one in targets)


def _course(view: View, point: Point) -> str:
    value = " or ".join(dict.fromkeys(view.say(one.value) for one in point.values))
    return f"{value} {view.when(point.day)}"


def _step(step: Step) -> str:
    waits = f", waits for {step.decision_id}" if step.decision_id and step.status == "waiting" else ""
    result = f", {step.result}" if step.result else ""
    return f"  - {step.description} ({step.status}{waits}{result})"


def _shorten_text(text: str) -> str:
    return shorten(one_line(text), _SENTENCE, at_word=True)


def _who(sender: str) -> str:
    return "the owner" if sender == "stakeholder" else sender


def _day(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"
