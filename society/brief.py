"""A business brief in Markdown: facts from `key: value` lines and tables, goals from the bullets under Goals.

findings = read_brief(text, source="inbox/brief.md")
findings.goals[0]        # 'Reduce churn below 3% by June 2026', target 'churn_rate < 3%', deadline 2026-06-30
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from mabos.language.wordlists import order_form
from mabos.mind.conditions import is_comparison
from mabos.society.findings import DocumentProblem, DocumentStatement, Findings, ProposedGoal
from mabos.society.metrics_file import render_observation
from mabos.society.quantities import (
    PERCENT,
    SHARES,
    Amount,
    Metric,
    is_missing,
    metric_in,
    metric_named,
    plain,
    read_amount,
)
from mabos.workspace.dates import day_in, day_named, without_days
from mabos.workspace.text import fold_case, slug

_GOALS = re.compile(r"\b(goals?|objectives?|targets?|okrs?|priorities|aims?|ziele)\b", re.IGNORECASE)
_NO_GOALS = order_form("brief.no_goals")
_PLAIN = order_form("brief.plain")
_CLAIMS = order_form("brief.claims")
"""Headings of what somebody offers, wants or expects: it is a claim of that document, and no fact of the company."""
_FACTS = re.compile(r"\b(?:facts?|figures?|metrics|numbers|kpis?|overview|summary|situation|background)\b", re.I)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_EMPHASISED = re.compile(r"(?:\*\*|__)(?P<bold>[^*_:]+):?(?:\*\*|__):?|(?P<plain>[^\W\d_][^:|*#]{0,40}):")
_UNDERLINE = re.compile(r"\s*(?:={2,}|-{2,})\s*")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<text>.*\S)\s*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NOTHING = re.compile(r"#{1,6}(?:\s.*)?|~~.*~~|<.*|\|.*|`{3,}.*|https?://\S+|[^\w]*")
"""List items that state nothing: a heading, struck-out text, markup, a table, an address."""


@dataclass(frozen=True, slots=True)
class BriefLine:
    """A line of a brief: its number, its text, the nearest heading above, and whether it is under goals."""

    number: int
    text: str
    heading: str = ""
    is_goal: bool = False


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str


def parse_outline(text: str) -> Iterator[BriefLine]:
    """Yield the lines below their headings; headings, code blocks, comments and rules are left out."""
    raw = text.splitlines()
    above: list[_Heading] = []
    fenced = False
    for number, line in enumerate(raw, start=1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith("<!--") and not _UNDERLINE.fullmatch(line):
            heading = _heading(raw, number - 1)
            if heading is None:
                title = next((one.title for one in reversed(above) if _lends_its_name(one)), "")
                yield BriefLine(number, line, title, _are_goals(above))
            else:
                above = [*(one for one in above if one.level < heading.level), heading]


def item(text: str) -> str:
    """Return the text of a list item, without marker and markup; empty if it is entirely done."""
    found = _BULLET.fullmatch(text)
    if found is None or (found["box"] or " ") in "xX":
        return ""
    said = bare(found["text"])
    inner = _BULLET.fullmatch(said)
    said = inner["text"] if inner else said.lstrip("> ")
    return "" if _NOTHING.fullmatch(said) else said


def bare(text: str) -> str:
    """Return a text without Markdown emphasis, and links as their text."""
    return re.sub(r"(\*\*|__|`)", "", _LINK.sub(r"\1", text)).strip()


def is_plain(heading: str) -> bool:
    """Return whether the text under a heading is about the company itself."""
    return not heading or (_PLAIN.search(heading) is not None and not is_claim(heading))


def is_claim(subject: str) -> bool:
    """Return whether a subject or heading names an offer, a wish or an expectation rather than a fact.

    >>> is_claim("offer_of_birch"), is_claim("company")
    (True, False)
    """
    return _CLAIMS.search(subject.replace("_", " ")) is not None


def is_of_goals(title: str) -> bool:
    """Return whether a heading announces goals: `Goals for 2026`, but not `Non-goals`."""
    return _GOALS.search(title) is not None and _NO_GOALS.search(title) is None


def _are_goals(above: list[_Heading]) -> bool:
    """Return whether these headings hold goals: those below `Goals` divide them, unless they name facts."""
    for heading in reversed(above):
        if is_of_goals(heading.title):
            return True
        if _NO_GOALS.search(heading.title) or _FACTS.search(heading.title):
            return False
    return False


def _lends_its_name(heading: _Heading) -> bool:
    """A title names all of the document, and so nothing in it, unless it says whose claims these are."""
    return heading.level > 1 or is_of_goals(heading.title) or is_claim(heading.title)


def _heading(lines: list[str], at: int) -> _Heading | None:
    """Return the heading that a line is: with `#`, underlined, or a name of a section in bold or before a colon."""
    line = lines[at].strip()
    if found := _HEADING.fullmatch(line):
        return _Heading(len(found[1]), bare(found[2]))
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    stands_alone = at == 0 or not lines[at - 1].strip()
    if line and stands_alone and _UNDERLINE.fullmatch(below) and not re.search(r"[:|]|^[-*+>]", line):
        return _Heading(1 if below.startswith("=") else 2, bare(line))
    named = _EMPHASISED.fullmatch(line)
    title = (named["bold"] or named["plain"]).strip() if named else ""
    return _Heading(7, title) if title and (_GOALS.search(title) or _PLAIN.search(title)) else None


COMPANY = "company"
_FIELD = re.compile(r"(?:\*\*|__)?(?P<key>[^\W\d_][^:*|]{0,48}?)(?:\*\*|__)?\s*:(?:\*\*|__)?\s+(?P<value>\S.*)")
_CLAUSE_WORDS = re.compile(r"(?i)\b(?:there|we|i|he|she|they|you|is|are|was|were|has|have)\b")
_RULE = re.compile(r"\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*")
_CLAUSE = re.compile(r"^\s*[A-Za-z_][\w ]*?\s*(>=|<=|==|>|<|=)\s*\S+")
_NUMBER_IN = order_form("brief.number_in")
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SPELLED = dict(zip(_NUMBERS, range(2, 13), strict=True))
_SPAN = order_form("brief.span")
_WORDS = (
    (">=", r"(?:\b(?:never|not|no)\b|n['’]t\b).*\b(?:below|under|less than|fewer than)\b"),
    ("<=", r"(?:\b(?:never|not|no)\b|n['’]t\b).*\b(?:above|over|more than|exceed\w*)\b"),
    (">", r"\babove\b|\bover\b|\bmore than\b|\bexceed\w*"),
    ("<", r"\bbelow\b|\bunder\b|\bless than\b|\bfewer than\b"),
    (">=", r"\bat least\b|\bminimum\b|\bno less than\b|\bnot less than\b"),
    ("<=", r"\bat most\b|\bmaximum\b|\bno more than\b|\bnot more than\b"),
    ("<=", r"\b(?:reduce|cut|lower|decrease|bring down|shrink|halve)\b"),
    (">=", r"\b(?:reach|achieve|grow|increase|raise|hit|get to|double|keep|maintain|win|have|to)\b"),
)
_BY_HOW_MUCH = re.compile(r"\bby\s+(?:US\$|[$€£])?\d(?!.*\bto\b)", re.IGNORECASE)
_LABELS = {"target": "target", "measure": "target", "deadline": "deadline", "due": "deadline", "by": "deadline"}


def read_brief(text: str, source: str) -> Findings:
    """Return the facts and goals in a brief; prose is left to other readers."""
    lines = list(parse_outline(text))
    dated = _date_of(lines)
    at = f"{dated}T00:00:00.000Z" if dated else ""
    year = int(dated[:4]) if dated else 0
    observations: list[DocumentStatement] = []
    goals: list[ProposedGoal] = []
    problems: list[DocumentProblem] = []
    for block in _blocks(lines):
        if _is_table(block) and (block[0].is_goal or is_of_goals(_cells(block[0].text)[0])):
            goals += _goal_rows(block, source, year)
            continue
        if _is_table(block):
            found, wrong = _table(block, source, at)
            observations += found
            problems += wrong
            continue
        for line in block:
            if line.is_goal:
                _add_goal(goals, line, source, year)
            elif not _dates(line) and (fact := _fact(line, source, at)) is not None:
                observations.append(fact)
    if not observations and not goals:
        message = "nothing to read here; expected `key: value` lines, tables, or bullets under a heading Goals"
        problems.append(DocumentProblem(f"{source}:1", message))
    return Findings(tuple(observations), tuple(goals), tuple(problems))


def target_in(text: str) -> str:
    """Return the condition in a goal's text, as `churn_rate < 3%`, or an empty text."""
    goal = re.sub(r"\[[^\]]*\]", "", text).strip()
    if _CLAUSE.match(goal) and is_comparison(goal):
        return _clause(goal)
    name = metric_in(goal)
    if not name:
        return ""
    said = _SPAN.sub("", _with_digits(without_days(goal)))
    wanted = None if _BY_HOW_MUCH.search(said) else _amount_in(said)  # `by 20%` says how much, and not where to
    if wanted is None or (wanted.unit == PERCENT and name not in SHARES):
        return ""
    op = next((op for op, pattern in _WORDS if re.search(pattern, goal, re.IGNORECASE)), "")
    value, _ = render_observation(Metric(name, known=True), wanted)
    return f"{name} {op} {value}" if op else ""


def _clause(text: str) -> str:
    """Return a written comparison with our name for its metric, and its number without ornaments."""
    found = re.match(r"\s*(?P<name>.*?)\s*(?P<op>>=|<=|==|>|<|=)\s*(?P<value>.*)", text)
    if found is None:
        return text
    metric = metric_named(found["name"])
    value = re.sub(r"\s+(?:by|until|before)\s.*", "", found["value"]).rstrip(".;, ")
    amount = read_amount(value)
    if metric is None or amount is None:
        return f"{found['name'].strip()} {found['op']} {value}"
    return f"{metric.name} {found['op']} {render_observation(metric, amount)[0]}"


def _blocks(lines: Sequence[BriefLine]) -> Iterator[list[BriefLine]]:
    """Yield runs of lines: tables on their own, everything else together."""
    block: list[BriefLine] = []
    for line in lines:
        piped = line.text.count("|") >= 1 and line.text.strip().startswith("|")
        if block and piped != block[0].text.strip().startswith("|"):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _is_table(block: Sequence[BriefLine]) -> bool:
    return len(block) >= 2 and block[0].text.strip().startswith("|")


def _table(block: Sequence[BriefLine], source: str, at: str) -> tuple[list[DocumentStatement], list[DocumentProblem]]:
    """Return a table's statements: two columns are keys and values, a column of months makes it a table of metrics."""
    rows = [(line, _cells(line.text)) for line in block if not _RULE.fullmatch(line.text)]
    if not rows:  # rules alone
        return [], []
    header = rows[0][1]
    found: list[DocumentStatement] = []
    problems: list[DocumentProblem] = []
    if len(header) == 2:
        body = rows[1:] if len(rows) < len(block) else rows
        keyed = [(line, cells[0], cells[1]) for line, cells in body if len(cells) == 2 and cells[0] and cells[1]]
        return [_observation(line, key, value, source, at) for line, key, value in keyed], problems
    for line, cells in rows[1:]:
        day = day_named(cells[0]) if cells else None
        moment = f"{day}T00:00:00.000Z" if day else at
        for name, value in zip(header[1:], cells[1:], strict=False):
            metric = metric_named(name)
            amount = read_amount(value)
            if metric is None or is_missing(value):
                continue
            if amount is None:
                problems.append(DocumentProblem(f"{source}:{line.number}", f"{name}: {value[:40]!r} is not a number"))
            elif day:
                text, unit = render_observation(metric, amount)
                found.append(DocumentStatement(metric.name, "", text, moment, f"{source}:{line.number}", unit))
            else:
                text, unit = render_observation(metric, amount)
                found.append(
                    DocumentStatement(
                        slug(cells[0], "_", limit=63), metric.name, text, at, f"{source}:{line.number}", unit
                    )
                )
    return found, problems


def _goal_rows(block: Sequence[BriefLine], source: str, year: int) -> Iterator[ProposedGoal]:
    """Yield the goals of a table: the first column says them, others may be called target or deadline."""
    header = [_LABELS.get(cell.casefold(), "") for cell in _cells(block[0].text)]
    for line in block[1:]:
        cells = _cells(line.text)
        text = cells[0] if not _RULE.fullmatch(line.text) else ""
        if not text:
            continue
        goal = ProposedGoal(text, target_in(text), _moment(day_in(text, year=year)), f"{source}:{line.number}")
        for label, cell in zip(header, cells, strict=False):
            goal = _apply_label(goal, label, cell, year) if label and cell else goal
        yield goal


def _moment(day: date | None) -> str:
    return f"{day}T00:00:00.000Z" if day else ""


def _cells(text: str) -> list[str]:
    return [bare(cell) for cell in text.strip().strip("|").split("|")]


def _fact(line: BriefLine, source: str, at: str) -> DocumentStatement | None:
    """Return the fact of a `key: value` line, or None; sentences and addresses are none."""
    bullet = _BULLET.fullmatch(line.text)
    found = _FIELD.fullmatch((bullet["text"] if bullet else line.text).strip())
    if found is None or len(found["key"].split()) > 6 or "//" in found["key"] or _CLAUSE_WORDS.search(found["key"]):
        return None
    return _observation(line, bare(found["key"]), bare(found["value"]), source, at)


def _observation(line: BriefLine, key: str, value: str, source: str, at: str) -> DocumentStatement:
    where = f"{source}:{line.number}"
    metric, amount = metric_named(key), read_amount(value)
    if metric is not None and metric.known and amount is not None and not is_claim(line.heading):
        text, unit = render_observation(metric, amount)
        return DocumentStatement(metric.name, "", text, at, where, unit)
    subject = COMPANY if is_plain(line.heading) else slug(line.heading, "_", limit=63)
    text = plain(amount.value) + ("%" if amount.unit == "%" else "") if amount is not None else value
    return DocumentStatement(
        subject or COMPANY, slug(key, "_", limit=63) or "note", text, at, where, amount.unit if amount else ""
    )


def _add_goal(goals: list[ProposedGoal], line: BriefLine, source: str, year: int) -> None:
    """Add the goal of a bullet; an indented `target:` or `deadline:` belongs to the goal above it."""
    bullet = _BULLET.fullmatch(line.text)
    text = item(line.text)
    labelled = _FIELD.fullmatch((bullet["text"] if bullet else line.text).strip())
    label = _LABELS.get(bare(labelled["key"]).casefold(), "") if labelled else ""
    if labelled and label and goals:
        goals[-1] = _apply_label(goals[-1], label, bare(labelled["value"]), year)
    elif text:
        deadline = day_in(text, year=year)
        plain_text = re.sub(r"\s*\[deadline:[^\]]*\]", "", text, flags=re.IGNORECASE)
        goals.append(ProposedGoal(plain_text, target_in(text), _moment(deadline), f"{source}:{line.number}"))


def _apply_label(goal: ProposedGoal, label: str, value: str, year: int) -> ProposedGoal:
    if label == "target":
        return replace(goal, target=target_in(value) or goal.target)
    day = day_named(value) or day_in(f"by {value}", year=year)
    return replace(goal, deadline=_moment(day) or goal.deadline)


def _amount_in(text: str) -> Amount | None:
    """Return the last number of a sentence: `from 5% to 3%` means 3%."""
    found = [read_amount(match[0].strip().rstrip(".,")) for match in _NUMBER_IN.finditer(text)]
    amounts = [amount for amount in found if amount is not None]
    return amounts[-1] if amounts else None


def _with_digits(text: str) -> str:
    """Return a text with the small numbers that are written as words as digits."""
    return re.sub(rf"\b(?:{'|'.join(_SPELLED)})\b", lambda found: str(_SPELLED[fold_case(found[0])]), text, flags=re.I)


def _date_of(lines: Sequence[BriefLine]) -> str:
    """Return the date that the brief gives itself (`Date: 2026-01-05`), or an empty text."""
    return next((day for line in lines if (day := _dates(line))), "")


def _dates(line: BriefLine) -> str:
    """Return the date a line gives its brief, or an empty text: it is not a fact about the company."""
    found = _FIELD.fullmatch(line.text.strip().lstrip("-* "))
    if found is None or bare(found["key"]).casefold() not in ("date", "as of", "dated", "datum"):
        return ""
    day = day_named(bare(found["value"]))
    return day.isoformat() if day else ""
