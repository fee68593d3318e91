"""Agents' actions in a period as a few readable lines, one for each kind of action."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mabos.interfaces.dashboard.activity import ActivityLine, subjects_of
from mabos.interfaces.dashboard.wording import plain
from mabos.interfaces.views.words import count
from mabos.tools.requests.answers.happenings import DEEDS
from mabos.workspace.currencies import money

if TYPE_CHECKING:
    from mabos.society.decisions import Decision

NAMED, LISTED = 3, 12
"""Names in a line, and single deeds below it."""
_DATE = re.compile(r",? ?(?:from |of |in the week of |on )?\b\d{4}-\d\d-\d\d\b")


@dataclass(frozen=True, slots=True)
class DigestLine:
    """Actions of one kind: the agents, the action in words, its subjects, and the newest ones in detail."""

    agents: tuple[str, ...]
    words: str
    about: str
    lines: list[ActivityLine]
    more: int


@dataclass(frozen=True, slots=True)
class ActivityDigest:
    """A period: the actions and spending by kind, and the answers to the owner's questions."""

    total: int
    usd: float
    lines: list[DigestLine]
    answers: str


def digest(lines: Iterable[ActivityLine], answered: Iterable["Decision"]) -> ActivityDigest:
    """Return completed actions of agents, costly and external ones first; pending and failed ones appear elsewhere."""
    kinds: dict[tuple[str, str], list[ActivityLine]] = defaultdict(list)
    for one in lines:
        if one.status == "done" and one.entry.body.get("by") != "person":
            tool = str(one.entry.body.get("tool", ""))
            # Who wrote to whom is of less weight than that they did.
            kinds[tool, "" if tool == "agent_message" else one.entry.agent].append(one)
    ranked = sorted(kinds.items(), key=lambda kind: _rank(*kind))
    shown = [_line(tool, found) for (tool, _), found in ranked]
    return ActivityDigest(
        sum(map(len, kinds.values())),
        sum(map(_usd, kinds.values())),
        shown,
        _answers(Counter(one.status for one in answered)),
    )


def _answers(results: Counter[str]) -> str:
    """Return how questions were answered: `approved 1 question`, `answered 3 questions: 2 approved, 1 rejected`."""
    questions = count(results.total(), "question")
    if len(results) > 1:
        return f"answered {questions}: {', '.join(f'{number} {status}' for status, number in results.most_common())}"
    return f"{next(iter(results))} {questions}" if results else ""


def _rank(kind: tuple[str, str], found: list[ActivityLine]) -> tuple[bool, float, int, int]:
    order = list(DEEDS).index(kind[0]) if kind[0] in DEEDS else len(DEEDS)
    return kind[0] == "agent_message", -_usd(found), order, -len(found)


def _usd(lines: Iterable[ActivityLine]) -> float:
    return sum(float(one.entry.body.get("cost") or 0.0) for one in lines)


def _line(tool: str, found: list[ActivityLine]) -> DigestLine:
    agents, usd = tuple(dict.fromkeys(one.entry.agent for one in found)), _usd(found)
    shown, more = found[:LISTED], max(0, len(found) - LISTED)
    if tool not in DEEDS:
        repeated = f" ({len(found)} times)" if len(found) > 1 else ""
        return DigestLine(agents, f"{plain(found[0].say())}{repeated}", "", shown, more)
    verb, noun = DEEDS[tool]
    if tool == "agent_message":
        return DigestLine(agents, f"wrote {count(len(found), noun)} to colleagues", "", shown, more)
    price = f" for {money(usd, places=0)}" if usd >= 1 else ""
    return DigestLine(agents, f"{verb} {count(len(found), noun)}{price}", _about(found), shown, more)


def _about(found: list[ActivityLine]) -> str:
    """Return the subjects of actions: their names without dates, the most frequent first."""
    names: Counter[str] = Counter()
    for about, times in Counter(next(subjects_of(one.entry.body.get("arguments", {})), "") for one in found).items():
        names[_DATE.sub("", plain(about)).strip()] += times
    del names[""]
    told = [f"{name} ({times} times)" if times > 1 else name for name, times in names.most_common(NAMED)]
    return ", ".join([*told, *([f"{len(names) - NAMED} more"] if len(names) > NAMED else [])])
