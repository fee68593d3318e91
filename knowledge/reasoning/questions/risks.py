"""Risks with a probability or frequency and a damage each: which is greater, and what is missing to decide."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, in_unit, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, is_chance, join_items, percent, stems

WORDS = packaged_yaml("reasoning_words.yaml")["risks"]


@dataclass(slots=True)
class _Risk:
    """A risk with its name, the chance of each kind, and the amounts that multiply to its damage."""

    name: str
    chances: list[float] = field(default_factory=list)
    amounts: list[float] = field(default_factory=list)
    kept: float = 1.0
    years: float = 0.0

    @property
    def damage(self) -> float:
        """The damage that is left when it happens."""
        return prod(self.amounts) * self.kept

    @property
    def weight(self) -> float:
        """The damage on average."""
        return prod(self.chances) * self.damage


def read_risks(q: Phrasing, _held: Holdings) -> Reading:
    """Read risks with their frequency and cost: which is greater on average."""
    if not q.has(WORDS["asks"]) or q.has(WORDS["never"]):
        return None
    rows = _rows(q)
    reserve = next(
        (
            row[0].value
            for row in rows
            if len(row) == 1 and re.search(WORDS["reserve"], row[0].before + row[0].after, re.I)
        ),
        0.0,
    )
    rows = [row for row in rows if not (reserve and row[0].value == reserve and len(row) == 1)]
    if len(rows) < 2:
        return None
    unit = "year" if any("year" in (one.period, one.span) for row in rows for one in row) else ""
    risks = [_risk(q, row, at, unit) for at, row in enumerate(rows)]
    if None in risks:
        return None
    every = [one for one in risks if one]
    stated = [one for one in every if len(one.amounts) == 1 and not one.chances]
    every = [
        one
        for one in every
        if one not in stated
        or not any(
            abs(each.weight - one.damage) < 0.005 * one.damage for each in every if each is not one and each.chances
        )
    ]
    if len({one.name.lower() for one in every}) < len(every) or not any(one.chances for one in every):
        return None
    if (
        q.search_asking(r"\blikelier\b|\bmore likely\b")
        and q.has(r"\bat least (?:one|once)\b|\bever\b")
        and not any(q.unit(q.plain[slice(*one.at)]).isupper() for row in rows for one in row)
    ):
        for one in every:  # "1 in 500 a trip, and 220 trips": how likely it happens at all
            one.years, one.amounts = one.years or next(iter(one.amounts), 1.0), []
    lacking = [f"the probability of {one.name} (how often it happens)" for one in every if not one.chances]
    if not all(one.years for one in every):
        lacking += [f"what {one.name} costs when it happens" for one in every if not one.amounts]
    if lacking:
        whole = [one for one in every if one.chances and one.amounts]
        is_clear = len(lacking) == 1 and len(whole) == len(every) - 1 and q.search_asking(WORDS["which"])
        return MissingFields("expected-utility", tuple(lacking), settles=True) if is_clear else None
    for other in q.matches(WORDS["another"]):
        q.grasp(other)
    q.use((0, len(q.plain)))
    return _over_years(every) if all(one.years for one in every) else _compare(q, every, reserve)


def _rows(q: Phrasing) -> list[list[FigureSlot]]:
    """Return the figures of each risk: another begins in a new sentence, or behind "or" once one is complete."""
    rows = list[list[FigureSlot]]()
    for one in slots(q):
        is_spelled = not q.in_digits(q.plain[slice(*one.at)]) and one.kind == "n"
        if is_spelled and (
            one.at[0] > q.asking(q.last())[0]
            or re.search(r"(?i)\b(?:risk|option|case)\s$", one.before)
            or re.match(WORDS["things"], one.after)
        ):
            continue  # "which of the two", "risk two", "three dangers"
        if rows and q.has(WORDS["scale"]) and re.search(r"(?i)(?:\bof|\bout of|/)\s*$", one.before):
            continue  # "likelihood 4 of 5"
        lead = q.plain[rows[-1][-1].at[1] if rows else 0 : one.at[0]]
        kinds = {each.kind for each in rows[-1]} if rows else set[str]()
        is_chance_again = one.kind == "p" and kinds == {"n", "p"} and not re.search(WORDS["covers"], one.before, re.I)
        is_other = re.search(WORDS["another"], lead, re.I) is not None and rows and len(rows[-1]) > 1
        is_new = is_chance_again or (bool(rows) and _is_count(rows[-1])) or is_other or re.search(r"[.;?!:]\s", lead)
        if is_new or not rows:
            rows.append([one])
        else:
            rows[-1].append(one)
    paired = list[list[FigureSlot]]()
    for row in rows:  # "a 10% chance. It would cost 5,000"
        if paired and len(paired[-1]) == 1 and len(row) == 1 and paired[-1][0].kind != row[0].kind:
            paired[-1] += row
        else:
            paired.append(row)
    return paired


def _is_count(row: Sequence[FigureSlot]) -> bool:
    """Return whether a row says how many of how many: "4 accidents in 2,000 jobs"."""
    of = re.search(r"(?i)\b(?:in|out of|per|on)\s$", row[1].before) if len(row) == 2 else None
    return of is not None and {one.kind for one in row} == {"n"} and not row[0].span


def _risk(q: Phrasing, row: Sequence[FigureSlot], at: int, unit: str) -> _Risk | None:
    """Return a risk from its figures; None where one of them has no part in it."""
    risk, is_once, is_scale = _Risk(_name(q, row, at)), q.has(WORDS["once"]), q.has(WORDS["scale"])
    counted = (
        len(row) == 2
        and {one.kind for one in row} == {"n"}
        and re.search(r"(?i)\b(?:in|out of|per|on)\s$", row[1].before)
    )
    if counted and not is_scale:  # "4 accidents in 2,000 jobs"
        return _Risk(risk.name, [row[0].value / row[1].value], [1.0])
    for one in row:
        factor = in_unit(1.0, unit, one.period) if unit and one.period and one.period != unit else 1.0
        if factor is None:
            return None
        if one.kind == "p" and re.search(WORDS["covers"], one.before, re.I):
            risk.kept *= 1 - one.value
        elif one.kind == "p" or is_chance(q, q.plain[slice(*one.at)], one.at[0]):
            risk.chances.append(one.value * factor)
        elif one.span and re.search(r"(?i)\bevery(?: \w+)?\s*$", one.before):
            risk.chances.append((in_unit(1.0, unit or one.span, one.span) or 1.0) / one.value)
        elif re.match(r"(?i)\s*times\b", one.after) or (is_scale and not risk.chances):
            risk.chances.append(one.value * factor)
        elif one.span == "year" and (is_once or re.search(r"(?i)\b(?:for|over|in|lasts?|within)\s*$", one.before)):
            risk.years = one.value
        else:
            risk.amounts.append(abs(one.value))
    return risk


def _name(q: Phrasing, row: Sequence[FigureSlot], at: int) -> str:
    """Return the name of a risk: behind "chance of", before its first figure, or by its place."""
    after = re.match(WORDS["risk_of"], row[0].after, re.I)
    labelled = re.search(r"(?i)\brisk (?:one|two|three|[a-d]|\d|«n\d+»)\b[^«]*$", q.plain[: row[0].at[0]])
    if labelled and after:
        return f"{q.written(labelled[0].partition(':')[0])} ({after['name'].strip()})"
    start = max((b for a, b in q.sentences() if b <= row[0].at[0]), default=0)
    lead = re.sub(r"«[^»]*»", "«", q.plain[start : row[0].at[0]]).split("«")[-1]
    parts = [part for part in lead.split(": ") if not re.fullmatch(WORDS["slot"], part.strip(), re.I)]
    lead = re.sub(WORDS["head"], "", parts[-1] if parts else "", flags=re.IGNORECASE).strip(" ,.:;-–")
    lead = re.split(WORDS["verb"], lead, flags=re.IGNORECASE)[0].strip(" ,.:;-–(")
    behind = re.search(r"(?i)\b(?:on|at|with|by) (?:the |our )?(?P<name>(?!average)\w+)", row[-1].after)
    if behind and (_is_count(row) or not re.search(r"\w{3}", lead)):
        return behind["name"]
    if row[0].noun and row[0].kind == "n" and not re.search(r"\w{3} \w", lead):
        return row[0].noun
    name = after["name"].strip() if after and not re.search(r"\w{3}", lead) else lead
    return name or ("the first", "the second", "the third", "the fourth")[min(at, 3)]


def _compare(q: Phrasing, risks: Sequence[_Risk], reserve: float) -> FilledForm:
    """Return the comparison of what risks cost on average."""
    is_rate = all(one.amounts == [1.0] for one in risks)
    show = percent if is_rate else figure
    top = max(prod(one.chances) for one in risks)
    scale = max(1.0, top)
    lotteries = {
        one.name: [
            {"p": prod(one.chances) / scale, "value": -one.damage * scale},
            {"p": 1 - prod(one.chances) / scale, "value": 0},
        ]
        for one in risks
    }
    compares = q.has(r"\b(?:is|are)\b[^?]*\bworse than\b")
    yes_no = re.match(r"(?i)\W*(?:is|are|was|were)\b", q.plain[slice(*q.asking(q.last()))])
    asked = [one for one in risks if stems(one.name) & stems(q.question)] if yes_no else []
    ranked = sorted(risks, key=lambda one: (-one.weight, one.name))
    best, second = ranked[:2]
    too_much = [one for one in risks if reserve and one.damage > reserve]

    def conclude(_result: object) -> Upshot:
        note = (
            f" {join_items(one.name for one in too_much)} alone is more than the {figure(reserve)} that you have."
            if too_much
            else ""
        )
        if best.weight - second.weight <= 1e-9 * max(1e-9, best.weight):
            if len(too_much) == 1:
                name, mean = too_much[0].name, show(best.weight)
                why = f"both cost {mean} on average, but it alone exceeds the {figure(reserve)} that you have"
                return Upshot(f"{name} is more dangerous: {why}.", name)
            return Upshot(f"They are equal on average: {show(best.weight)} each.{note}", "equal")
        others = join_items(f"{one.name} {show(one.weight)}" for one in ranked[1:])
        meant = asked[0] if len(asked) == 1 else risks[0] if compares else None
        says = "" if meant is None else "Yes: " if meant is best else "No: "
        worst = max(risks, key=lambda one: one.damage)
        note += "" if worst is best or is_rate or too_much else f" The largest single damage is that of {worst.name}."
        return Upshot(
            f"{says}{best.name} is the bigger risk: {show(best.weight)} on average, against {others}.{note}", best.name
        )

    shown = "; ".join(f"{one.name}: {percent(prod(one.chances))} of {figure(one.damage)}" for one in risks)
    assumes = "risks are compared by chance times damage"
    return FilledForm(
        "expected-utility", {"kind": "lotteries", "lotteries": lotteries}, shown, conclude, assumes=assumes
    )


def _over_years(risks: Sequence[_Risk]) -> FilledForm:
    """Return the comparison of how likely each happens at least once in its years."""
    once = {one.name: 1 - (1 - one.chances[0]) ** one.years for one in risks}
    best, *others = sorted(once, key=lambda one: -once[one])
    lotteries = {name: [{"p": p, "value": 1}, {"p": 1 - p, "value": 0}] for name, p in once.items()}
    times = {one.name: f" over {figure(one.years)} times" if one.years > 1 else "" for one in risks}
    against = join_items(f"{percent(once[name])}{times[name]} for {name}" for name in others)
    says = f"{best} is more likely: {percent(once[best])}{times[best]} to happen at least once, against {against}."
    shown = "; ".join(f"{one.name}: {percent(one.chances[0])} each time{times[one.name]}" for one in risks)
    problem = {"kind": "lotteries", "lotteries": lotteries}
    return FilledForm(
        "expected-utility",
        problem,
        shown,
        lambda _: Upshot(says, best),
        assumes="each time is independent of the others",
    )
