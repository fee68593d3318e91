"""Themes of a period, by tags and words, and their recurrence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

from mabos.memory.lineage import LineSource
from mabos.memory.periods import week_name, weekday_name
from mabos.memory.stem import stem
from mabos.memory.told import LogLine
from mabos.workspace.text import STOPWORDS, terms

_MANNER = frozenset(
    terms(
        """
        accept_proposal agree cfp confirm failure inform not_understood propose query query_ref refuse reject_proposal
        request subscribe
        """.replace("_", "")
    )
)
"""Tags that say how something came, not what it is about: the performatives of messages."""
_COURSE = frozenset(
    (
        *("abandoned", "achieved", "active", "adopted", "awaiting_approval", "blocked", "completed", "decided"),
        *("expired", "failed", "pending", "stalled", "suspended"),
    )
)
"""The statuses of a goal or plan: after `goal` or `plan`, they tell what happened to it."""
_FRAME = frozenset(
    map(
        stem,
        terms(
            """
            already ask asked asks before day days done every first found goal keep kept last month months next plan
            please quarter risks step steps taken tell tells today told took wanted week weeks within year
            """
        ),
    )
)
"""Stems of the words in which things are told, whatever they are about."""
_EMPTY = STOPWORDS | _MANNER | _COURSE
_WORD_ENTRIES, _WORD_LENGTH = 3, 4
_NAMED = 30
"""The most lines of one day that a theme names: a day with more is told as that."""
_RECURS, _TOGETHER, _RHYTHM = 2, 3, 3


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme of log entries: their number, their days, and the supporting lines, oldest first."""

    label: str
    entries: int
    days: tuple[date, ...]
    sources: tuple[LineSource, ...]
    leaves: frozenset[LineSource] = frozenset()

    @property
    def rank(self) -> tuple[int, int, str]:
        """The sort key of themes: more days first, then more entries."""
        return (-len(self.days), -self.entries, self.label)

    @property
    def weeks(self) -> tuple[str, ...]:
        """The weeks in which it came up."""
        return tuple(dict.fromkeys(week_name(day) for day in self.days))


def themes(entries: Iterable[LogLine], limit: int) -> list[Theme]:
    """Return the themes of some days: their tags, then recurring words if tags are few, then speakers."""
    # Measurements are listed under the figures.
    measured = [one for one in entries if one.tags[:1] == ("found",) and one.text.startswith("Found: ")]
    counted = [one for one in entries if not one.repeats and one not in measured]
    tagged: dict[str, dict[int, None]] = {}
    mentions: dict[str, list[int]] = {}
    voices: dict[str, list[int]] = {}
    for at, one in enumerate(counted):
        voice, text = _split_speaker(one)
        if voice:
            voices.setdefault(voice, []).append(at)
        for tag in _topics(one):
            if tag != voice:
                tagged.setdefault(tag, {})[at] = None
        for root in _content(text):
            mentions.setdefault(root, []).append(at)
    for tag, found in tagged.items():
        # Who writes of it without the tag means it too.
        found.update(dict.fromkeys(mentions.pop(stem(tag.lower()), ())))
    chosen = sorted((_theme(tag, counted, sorted(found)) for tag, found in tagged.items()), key=_rank)[:limit]
    known = {stem(word) for theme in chosen for word in terms(theme.label)}
    often = {root: found for root, found in mentions.items() if len(found) >= _WORD_ENTRIES and root not in known}
    if len(chosen) < limit:
        words = sorted((_theme(root, counted, found) for root, found in often.items()), key=_rank)
        distinct = _distinct(words, chosen, limit - len(chosen))
        chosen += [replace(theme, label=_form(theme.label, counted, often[theme.label])) for theme in distinct]
    known = {theme.label for theme in chosen}
    spoke = sorted((_theme(voice, counted, found) for voice, found in voices.items() if voice not in known), key=_rank)
    return sorted([*chosen, *spoke[: limit - len(chosen)]], key=_rank)


def _topics(one: LogLine) -> tuple[str, ...]:
    """Return the tags that name an entry's topic, without the mind's own housekeeping tags."""
    first, second = (*one.tags, "", "")[:2]
    is_course = (first in ("goal", "plan") and second in _COURSE) or (first == "step" and "_" in second)
    return tuple(tag for tag in one.tags[2 if is_course else 0 :] if "".join(terms(tag)) not in _MANNER)


def _split_speaker(one: LogLine) -> tuple[str, str]:
    """Return the sender, if the entry is a message, and its text."""
    voice, bracket, said = one.text.partition(" (")
    return (voice, said.partition("): ")[2]) if bracket and voice in one.tags else ("", one.text)


def _content(text: str) -> set[str]:
    """Return the stems of the words that carry a text's topic."""
    words = (word for word in terms(text) if len(word) >= _WORD_LENGTH and word not in _EMPTY)
    return {stem(word) for word in words} - _FRAME


def _form(root: str, entries: Sequence[LogLine], mentions: Iterable[int]) -> str:
    """Return a stem's most frequent word form."""
    forms = Counter(word for at in mentions for word in terms(entries[at].text) if stem(word) == root)
    return min(forms, key=lambda form: (-forms[form], form))


def _rank(theme: Theme) -> tuple[int, int, str]:
    return theme.rank


def _theme(label: str, entries: Sequence[LogLine], mentions: Sequence[int]) -> Theme:
    by_day: dict[date, list[LogLine]] = {}
    for at in mentions:
        by_day.setdefault(entries[at].day, []).append(entries[at])
    sources = tuple(one.source for told in by_day.values() for one in told[:_NAMED])
    return Theme(label, len(mentions), tuple(by_day), sources, frozenset(sources))


def _distinct(candidates: Iterable[Theme], chosen: Sequence[Theme], limit: int) -> list[Theme]:
    """Return at most `limit` themes of more than a day whose lines no other theme fully covers."""
    kept: list[Theme] = []
    for theme in candidates:
        if len(kept) >= limit:
            break
        if len(theme.days) > 1 and not any(theme.leaves <= other.leaves for other in (*chosen, *kept)):
            kept.append(theme)
    return kept


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A recurring theme, in words, and the supporting lines."""

    text: str
    sources: tuple[LineSource, ...]


def patterns(found: Sequence[Theme], active: Sequence[date], limit: int) -> list[Recurrence]:
    """Return themes that recur in several weeks, on one weekday, or together."""
    weeks = list(dict.fromkeys(week_name(day) for day in active))
    recurring = [
        Recurrence(f"{one.label} recurred in {len(one.weeks)} of {len(weeks)} weeks ({spans(one.weeks)})", one.sources)
        for one in sorted(found, key=lambda one: (-len(one.weeks), one.rank))
        if len(one.weeks) >= _RECURS
    ]
    weekdays = {day.weekday() for day in active}
    rhythms = [
        Recurrence(f"{one.label} comes up on {weekday_name(one.days[0])}s ({len(one.days)} times)", one.sources)
        for one in found
        if len(one.days) >= _RHYTHM and len(weekdays) > 1 and len({day.weekday() for day in one.days}) == 1
    ]
    return [*recurring[:limit], *rhythms[:limit], *_together(found)[:limit]]


def _together(found: Sequence[Theme]) -> list[Recurrence]:
    """Return the pairs of themes of which most entries of the rarer are also about the other."""
    pairs = []
    for one, other in combinations(found, 2):
        both = len(one.leaves & other.leaves)
        if both >= _TOGETHER and 2 * both > min(len(one.leaves), len(other.leaves)):
            pairs.append((both, one, other))
    pairs.sort(key=lambda pair: (-pair[0], pair[1].label, pair[2].label))
    return [
        Recurrence(
            f"{one.label} and {other.label} came up together ({both} entries)",
            tuple(sorted({*one.sources, *other.sources}, key=lambda source: (source.path, source.line))),
        )
        for both, one, other in pairs
    ]


def spans(weeks: Iterable[str]) -> str:
    """Return week numbers, consecutive ones as a span.

    >>> spans(["2026-W52", "2026-W53", "2027-W01", "2027-W03"])
    '52-53, 1, 3'
    """
    runs: list[list[int]] = []
    for number in (int(week[6:]) for week in weeks):
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
