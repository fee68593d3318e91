"""Choices of two rivals told by cases: "both", "one of them", and our payoff whatever the other does."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, figure, join_items, percent, stem
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["rivals"]
_CUT = re.compile(WORDS["cut"], re.I)
_BOTH = re.compile(r"(?i)\b(?:both|all|each of us|we two|neither|none|no one|nobody)\b")
_ONE = re.compile(WORDS["one"])
_NONE = re.compile(r"(?i)\b(?:neither|none|no one|nobody|without|not|does(?: not|n['’]t)|do(?: not|n['’]t))\b|n['’]t\b")
_STOP = frozenset(WORDS["stop"].split())
_AWAY = re.compile(WORDS["away"])


@dataclass(frozen=True, slots=True)
class _Told:
    """A case of a question: its text, and the amounts in it with the words before and behind each."""

    text: str
    amounts: tuple[float, ...]
    leads: tuple[str, ...]
    trails: tuple[str, ...]


def read_rivals(q: Phrasing, _held: Holdings) -> Reading:
    """Read the payoffs of two rivals if both, one or neither of them acts."""
    if not q.has(r"\b(?:both|rival|competitor|other|neighbour|each|they|he)\b") or q.shares() or _AWAY.search(q.plain):
        return None
    cases = _read_cases(q)
    return _whatever(q, cases) or _symmetric(q, cases) or _four_cells(q, cases)


def _read_cases(q: Phrasing) -> list[_Told]:
    found = []
    for text in _CUT.split(q.plain):
        marks = [*re.finditer(NUMBER, text)]
        values = [q.value(one[0]) for one in marks]
        kept = [(one, value) for one, value in zip(marks, values, strict=True) if q.in_digits(one[0])]
        if not kept:
            continue
        ends = [0, *(one.end() for one, _ in kept)]
        starts = [*(one.start() for one, _ in kept), len(text)]
        leads = tuple(text[ends[at] : starts[at]] for at in range(len(kept)))
        signs = [-1 if re.search(r"(?i)\blos\w+\b[^«]*$", lead) else 1 for lead in leads]
        amounts = tuple(value * sign for (_, value), sign in zip(kept, signs, strict=True))
        found.append(
            _Told(text, amounts, leads, tuple(text[one.end() : starts[at + 1]] for at, (one, _) in enumerate(kept)))
        )
    return found


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z][a-z-]+", text.lower()) if word not in _STOP and stem(word) not in _STOP]


def _symmetric(q: Phrasing, cases: Sequence[_Told]) -> Reading:
    """Read three cases that hold for either side: both do, both do not, and only one does."""
    both = [one for one in cases if _BOTH.search(one.leads[0]) and len(one.amounts) == 1]
    mixed = [one for one in cases if one not in both and len(one.amounts) == 2 and _ONE.search(one.text)]
    if len(both) != 2 or len(mixed) != 1 or len(cases) != 3:
        return None
    denied = [one for one in both if _NONE.search(one.leads[0]) and not re.search(r"(?i)\bwhat\b", one.leads[0])]
    words = [_words(_BOTH.split(one.leads[0])[-1]) for one in both]
    if len(denied) == 1:
        own = words[both.index(denied[0]) ^ 1] or words[both.index(denied[0])]
        act = next((word for word in own if stem(word) in {stem(each) for each in _words(q.plain)}), "")
        moves = [act, f"not {act}"]
        cells = [next(one for one in both if one is not denied[0]).amounts[0], denied[0].amounts[0]]
    else:
        names = [[word for word in words[at] if word not in words[1 - at]] for at in (0, 1)]
        kept = [re.findall(r"\b(?:keep|stay|hold|open|shut)\w*", one.leads[0].lower()) for one in both]
        if not all(names):
            names = [names[at] or kept[at] for at in (0, 1)]
        if not all(names):
            return None
        moves, cells = [names[0][0], names[1][0]], [one.amounts[0] for one in both]
    told = _doer(mixed[0], moves)
    if not all(moves) or told is None:
        return None
    gains = mixed[0].amounts if told == 0 else mixed[0].amounts[::-1]
    table = {
        (moves[0], moves[0]): (cells[0], cells[0]),
        (moves[1], moves[1]): (cells[1], cells[1]),
        (moves[0], moves[1]): (gains[0], gains[1]),
        (moves[1], moves[0]): (gains[1], gains[0]),
    }
    return _game(q, moves, table)


def _doer(case: _Told, moves: Sequence[str]) -> int | None:
    """Return which move the first amount of a mixed case goes with; the other goes with the other."""
    names = [stem(move.removeprefix("not ")) for move in moves]
    first = [stem(word) for word in re.findall(r"[a-z-]+", case.leads[0].lower())]
    second = [stem(word) for word in re.findall(r"[a-z-]+", f"{case.leads[1]} {case.trails[1]}".lower())]
    hits = [name in first for name in names]
    if moves[1].startswith("not "):
        denied = bool(_NONE.search(case.leads[0].rpartition(",")[2]))
        return 1 if denied else 0
    if all(hits):  # "if one cuts and the other keeps, the one who cuts earns ..."
        last = [stem(word) for word in re.findall(r"[a-z-]+", case.leads[0].lower().rpartition(",")[2])]
        hits = [name in last for name in names]
    if hits[0] != hits[1]:
        return 0 if hits[0] else 1
    others = [name in second for name in names]
    if others[0] != others[1]:
        return 1 if others[0] else 0
    return None


def _game(q: Phrasing, moves: Sequence[str], table: dict[tuple[str, str], tuple[float, float]]) -> Reading:
    """Return the form of a game of two sides that both choose at once."""
    for one in q.matches(r"\bas long as\b|\balthough\b|\bdepends?\b"):
        q.grasp(one)
    q.use((0, len(q.plain)))
    names = ("you", "the other")
    problem = {
        "kind": "normal_form",
        "strategies": {name: list(moves) for name in names},
        "payoffs": [[list(table[a, b]) for b in moves] for a in moves],
    }
    wanted = q.search(r"\b(?:should|shall) (?:we|i|they|each)\b(?P<what>[^?]*)\?")
    asks_best = q.has(r"\bno matter\b|\bwhatever\b|\bdominant\b|\balways\b|\bin any case\b|\bregardless\b")

    def conclude(result: MethodResult[Any]) -> Upshot:
        best = [a for a in moves if all(table[a, b][0] >= table[c, b][0] for b in moves for c in moves)]
        pure = [one for one in result.answer.equilibria if all(len(shares) == 1 for shares in one.strategies.values())]
        plays = [tuple(next(iter(one.strategies[name])) for name in names) for one in pure]
        symmetric = all(table[a, b] == table[b, a][::-1] for a in moves for b in moves)
        if not symmetric:
            told = _describe_play(moves, table, best, plays, result)
            is_no = (
                wanted is not None
                and str(told.headline).startswith("not ")
                and stem(str(told.headline)[4:]) in map(stem, wanted["what"].split())
            )
            return Upshot(
                f"No: {told.sentence}" if is_no else told.sentence, told.headline, told.confidence, told.changes
            )
        if best and not best[1:]:
            move, worth = best[0], table[best[0], best[0]][0]
            other = next(one for one in moves if one != move)
            note = (
                f" although {figure(table[other, other][0])} each would be possible"
                if table[other, other][0] > worth
                else ""
            )
            doing = f"both {move}" if not move.startswith("not ") else f"neither does ({move})"
            is_asked = wanted is not None and stem(other.removeprefix("not ")) in map(stem, wanted["what"].split())
            is_meant = wanted is not None and stem(move) in map(stem, wanted["what"].split())
            says = "Yes: " if asks_best or is_meant else "No: " if is_asked and move.startswith("not ") else ""
            return Upshot(
                f"{says}{move} is better for each whatever the other does: {doing}, {figure(worth)} each{note}.", move
            )
        shown = [f"both {one[0]}" if one[0] == one[1] else f"one {one[0]} and the other {one[1]}" for one in plays]
        shown = list(dict.fromkeys(shown)) or ["nothing certain"]
        if asks_best or all(one[0] != one[1] for one in plays):
            replies = "; ".join(
                f"if the other chooses {b}, {a} is better ({figure(table[a, b][0])} against {figure(table[c, b][0])})"
                for b in moves for a, c in (moves, moves[::-1]) if table[a, b][0] > table[c, b][0]
            )  # fmt: skip
            if asks_best or wanted:
                return Upshot(f"No, it depends on the other: {replies}.", "no")
            return Upshot(f"Stable is that {join_items(shown, 'or that')}: {replies}.", "; ".join(shown))
        return Upshot(f"It depends on the other; stable is that {join_items(shown, 'or that')}.", "; ".join(shown))

    echo = "; ".join(f"{a}/{b}: {figure(x)} and {figure(y)}" for (a, b), (x, y) in table.items())
    return FilledForm(
        "game-theory", problem, echo, conclude, assumes="each side wants the most for itself and both choose at once"
    )


def _describe_play(
    moves: Sequence[str],
    table: Mapping[tuple[str, str], tuple[float, float]],
    best: Sequence[str],
    plays: Sequence[tuple[str, ...]],
    result: MethodResult[Any],
) -> Upshot:
    """Return where two sides end up that get different amounts: at an equilibrium, or at shares of both moves."""
    if len(plays) == 1:
        a, b = plays[0]
        why = f"{a} is better for you whatever the other does; " if len(best) == 1 else ""
        own, other = table[a, b]
        return Upshot(f"{why}you {a} and the other {b}: {figure(own)} for you and {figure(other)} for the other.", a)
    if plays:
        return Upshot(
            f"It depends on the other; stable is {join_items((f'you {a} and the other {b}' for a, b in plays), 'or')}.",
            "several",
        )
    shares = next((dict(one.strategies["you"]) for one in result.answer.equilibria), {})
    if not shares:
        return Upshot("", changes="no equilibrium was found")
    mean = sum(shares.get(a, 0) * table[a, moves[0]][0] for a in moves)
    mixed = join_items(f"{a} in {percent(float(shares.get(a, 0)))}" for a in moves)
    says = f"There is no fixed choice that is stable: choose {mixed} of the cases, at random"
    return Upshot(f"{says}, for {figure(float(mean))} on average.", float(shares.get(moves[0], 0)))


def _four_cells(q: Phrasing, cases: Sequence[_Told]) -> Reading:
    """Read what both get in each of the four cases: both, only we, only they, neither; or each place of each side."""
    pair = q.search(WORDS["pair"])
    moves = [pair["a"].lower(), pair["b"].lower()] if pair else []
    is_zero_sum = q.has(WORDS["zero_sum"])
    table = dict[tuple[str, str], tuple[float, float]]()
    for one in cases:
        lead = one.leads[0]
        where = [move for move in moves if stem(move) in map(stem, re.findall(r"\w+", lead.lower()))]
        kind = next((name for name, words in WORDS["cells"].items() if re.search(words, lead, re.I)), "")
        if kind and not moves:
            named = re.search(
                r"(?i)\b(?:both|only we|only they|only I)\b(?: of us| of them)? (?P<act>[a-z]{3,})", q.plain
            )
            act = named["act"].lower() if named else ""
            moves = [act, f"not {act}"] if act else []
        if kind == "both" and len(where) == 1:
            cell = (where[0], where[0])
        elif kind and len(moves) > 1 and moves[1].startswith("not "):
            cell = {"both": (moves[0], moves[0]), "we": (moves[0], moves[1]), "they": (moves[1], moves[0])}.get(
                kind, (moves[1], moves[1])
            )
        elif len(where) == 2:
            first = lead.lower().index(where[0]) < lead.lower().index(where[1])
            ordered = where if first else where[::-1]
            cell = (
                (ordered[0], ordered[1])
                if re.search(WORDS["ours"], lead.lower().partition(ordered[1])[0])
                else (ordered[1], ordered[0])
            )
        else:
            continue
        sign = -1 if re.search(r"(?i)\blos\w+\b[^«]*$", lead) else 1
        both = re.search(r"(?i)\beach\b|\bapiece\b", lead + one.trails[-1]) is not None
        if cell in table or len(one.amounts) > 2 or (len(one.amounts) == 1 and not (is_zero_sum or both)):
            return None
        own = abs(one.amounts[0]) * sign if len(one.amounts) == 1 else one.amounts[0]
        table[cell] = (own, -own if is_zero_sum else one.amounts[-1] if len(one.amounts) > 1 else own)
    if len(moves) < 2 or len(table) < 2:
        return None
    lacking = [cell for cell in ((a, b) for a in moves for b in moves) if cell not in table]
    if len(lacking) == 2 and all(a != b for a, b in lacking) and len(table) == len(cases):
        return MissingFields(
            "game-theory",
            (f"what each side gets when only one of them chooses {moves[0]} and the other does not",),
            settles=True,
        )
    return _game(q, moves, table) if not lacking and len(table) == len(cases) else None


def _whatever(q: Phrasing, cases: Sequence[_Told]) -> Reading:
    """Read what we make with and without something, for each thing that the other may do."""
    rows = [one for one in cases if len(one.amounts) == 2]
    if len(rows) != 2 or len(cases) != 2 or not q.has(r"\b(?:we|i|us)\b[^.«]*«|\bus\b|\bour\b|\bmy\b"):
        return None
    table = dict[str, list[float]]()
    act = ""
    for one in rows:
        trails = [re.split(r"[,;.]|\band\b|\bbut\b", trail)[0] for trail in one.trails]
        without = [
            bool(
                re.search(
                    r"(?i)\bwithout\b|\bif (?:not|we don)|\botherwise\b|\bif we do not\b",
                    f"{trail} {lead if at else ''}",
                )
            )
            for at, (trail, lead) in enumerate(zip(trails, one.leads, strict=True))
        ]
        if without[0] == without[1]:
            return None
        act = act or re.sub(r"(?i)^\s*(?:with|if we|by)\s+", "", trails[without.index(False)]).strip()
        for is_without, value in zip(without, one.amounts, strict=True):
            table.setdefault("without" if is_without else "with", []).append(value)
    if not act or sorted(table) != ["with", "without"]:
        return None
    payoffs = {
        act: {"one": table["with"][0], "other": table["with"][1]},
        f"without {act}": {"one": table["without"][0], "other": table["without"][1]},
    }
    gaps = [a - b for a, b in zip(table["with"], table["without"], strict=True)]
    if gaps[0] * gaps[1] <= 0:
        return None
    best = act if gaps[0] > 0 else f"without {act}"
    pairs = join_items(
        f"{figure(max(a, b))} against {figure(min(a, b))}" for a, b in zip(table["with"], table["without"], strict=True)
    )
    q.use((0, len(q.plain)))
    says = f"{best[:1].upper()}{best[1:]}: it is better whatever the other does ({pairs})."
    shown = "; ".join(f"{name}: {join_items(map(figure, row.values()))}" for name, row in payoffs.items())
    return FilledForm("decision-theory", {"kind": "decision", "payoffs": payoffs}, shown, lambda _: Upshot(says, best))
