"""Games of two sides: equilibria, dominant choices, and moves in turn."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, figure, join_items, percent, stem, stems
from mabos.knowledge.reasoning.result import MethodResult

_PAYS = r"(?:gets?|earns?|makes?|receives?|wins?|has|have|pays?|loses?|lose|would \w+|will \w+)"


@dataclass(frozen=True, slots=True)
class _Case:
    """One combination of what two sides do, with what each gets."""

    condition: str
    rest: str
    amounts: tuple[float, ...]
    span: tuple[int, int]


def read_games(q: Phrasing, _held: Holdings) -> Reading:
    """Read the choices and payoffs of two sides: the equilibria, a dominant choice, the advice."""
    if not q.has(r"\b(?:if|when)\b") or not q.has(r"\b(?:both|each|neither|rival|competitor|other|opponent|they)\b"):
        return None
    return _pennies(q) or _in_turn(q) or _at_once(q)


def _cases(q: Phrasing) -> list[_Case]:
    """Return the conditional parts of a question that have amounts."""
    found = []
    marks = q.matches(r"\b(?:if|when)\b")
    for place, mark in enumerate(marks):
        limit = marks[place + 1].start() if place + 1 < len(marks) else len(q.plain)
        stop = re.search(r"[.;?](?=\s|$)", q.plain[mark.end() : limit])
        end = mark.end() + (stop.end() if stop else limit - mark.end())
        text = q.plain[mark.end() : end]
        cut = re.search(
            rf",\s|\s(?=(?:we |they |you )?(?:each|both)\s+{_PAYS})|\s(?=the (?:\w+er|one|other)\s+{_PAYS})", text, re.I
        )
        if cut is None or "«" not in text[cut.end() :] or "«" in text[: cut.start()]:
            continue
        rest = text[cut.end() :]
        amounts = []
        for one in re.finditer(NUMBER, rest):
            loses = re.search(r"\blos\w+\b[^«]*$", rest[: one.start()], re.I)
            amounts.append(-abs(q.value(one[0])) if loses else q.value(one[0]))
        found.append(_Case(text[: cut.start()].strip(), rest, tuple(amounts), (mark.start(), end)))
    return found


def _at_once(q: Phrasing) -> Reading:
    cases = _cases(q)
    if len(cases) < 3:
        return None
    moves = _moves(q, cases)
    if moves is None:
        return None
    first, second = moves
    names = (
        ("we", "the rival") if q.has(r"\brival\b|\bcompetitor\b") and q.has(r"\bwe\b") else ("the first", "the second")
    )
    cells: dict[tuple[str, str], tuple[float, float]] = {}
    for one in cases:
        if not _fill_cell(one, first, second, cells):
            return None
        q.use(one.span)
    combinations = [(a, b) for a in moves for b in moves]
    lacking = [f"what each gets if one chooses {a} and the other {b}" for a, b in combinations if (a, b) not in cells]
    if lacking:
        return MissingFields("game-theory", tuple(dict.fromkeys(lacking)))
    q.counted(2)
    _use_setting(q, moves)
    payoffs = [[list(cells[a, b]) for b in moves] for a in moves]
    problem = {"kind": "normal_form", "strategies": {name: list(moves) for name in names}, "payoffs": payoffs}
    shown = "; ".join(f"{a}/{b}: {figure(cells[a, b][0])} and {figure(cells[a, b][1])}" for a, b in combinations)
    echo = f"two sides, each {first} or {second}. {shown}"
    assumes = "each side wants the most for itself and both choose at once"
    return FilledForm("game-theory", problem, echo, _conclude_game(q, names, moves, cells), assumes=assumes)


def _moves(q: Phrasing, cases: Sequence[_Case]) -> tuple[str, str] | None:
    """Return the two things each side may do: "keep or cut", "left or right", "advertise" or not."""
    offered = q.search(
        r"\b(?:can|could|may|must|choose[s]?|chooses? between)\b(?: each)?(?: either)?(?: "
        r"choose)? (?P<a>[\w-]+(?: [\w-]+)?) (?:or|and) (?P<b>[\w-]+(?: \w+)?)"
    )
    if offered:
        words = [offered["a"].split()[-1], offered["b"].split()[0]]
        if offered["b"].split()[0].lower() in ("not", "refuse"):
            return words[0], f"not {words[0]}"
        if all(
            any(
                stem(word) in stems(one.condition) or stem(word) in {stem(x) for x in one.condition.split()}
                for one in cases
            )
            for word in words
        ):
            return words[0], words[1]
    conditions = " ".join(one.condition for one in cases)
    named = re.findall(r"\bboth(?: of \w+)? (?:(?:stay|remain|keep|stand) )?([a-z-]+)", conditions, re.I)
    if len(set(named)) == 2 and not re.search(r"\bneither\b|\bboth (?:do|don)\b", conditions, re.I):
        return named[0], named[1]
    both = re.search(
        r"\b(?:both|neither)(?: of \w+)?(?: firms| sides| players| shops| of them)? ([a-z-]+)", conditions, re.I
    )
    if both and both[1].lower() not in ("do", "does", "choose", "chooses"):
        word = re.sub(r"s$", "", both[1]) if both[0].lower().startswith("neither") else both[1]
        return word, f"not {word}"
    return None


def _fill_cell(case: _Case, first: str, second: str, cells: dict[tuple[str, str], tuple[float, float]]) -> bool:
    """Write a case's payoffs into the table; return whether it could be read."""
    words = [stem(one) for one in re.findall(r"[\w-]+", case.condition.lower())]
    bare = second.removeprefix("not ")
    negated = second.startswith("not ")
    at = {name: [place for place, word in enumerate(words) if word == stem(name)] for name in (first, bare)}
    each = len(case.amounts) == 1 and re.search(r"\beach\b|\bboth\b", case.rest, re.I) is not None
    text = case.condition.lower()
    if each and re.search(r"\bdiffer\w*|\bdo not match\b|\bdifferent\w*", text):
        cells[first, second] = cells[second, first] = (case.amounts[0], case.amounts[0])
        return True
    if re.search(r"\bneither\b|\bnobody\b|\bboth (?:do not|don['’]t|refuse)\b", text):
        cells[second, second] = (case.amounts[0], case.amounts[0])
        return each and negated
    if re.search(r"\bboth\b|\bwe all\b", text):
        move = first if at[first] else second if at[bare] and not negated else None
        if move is None or not each:
            return False
        cells[move, move] = (case.amounts[0], case.amounts[0])
        return True
    if len(case.amounts) != 2:
        return False
    return _fill_mixed(case, first, second, cells, at)


def _fill_mixed(
    case: _Case, first: str, second: str, cells: dict[tuple[str, str], tuple[float, float]], at: Mapping[str, list[int]]
) -> bool:
    """Write the payoffs of different choices."""
    text, bare = case.condition.lower(), second.removeprefix("not ")
    only_one = re.match(r"\s*(?:only|just) one\b", text) is not None
    if second.startswith("not "):
        if not at[first] and not (only_one and re.search(r"\bonly one (?:does|do|of us does)\b", text)):
            return False
        leading = first
    else:
        if not (at[first] and at[bare]) and not (only_one and (at[first] or at[bare])):
            return False
        leading = first if at[first] and (not at[bare] or at[first][0] < at[bare][0]) else second
    other = second if leading == first else first
    mine, theirs = case.amounts
    before = re.split(NUMBER, case.rest)[0].lower()
    named = stems(before)
    doer = stem(other.removeprefix("not ")) in named or (
        f"not {leading}" == other and re.search(r"\bdoes(?: not|n['’]t)\b", before) is not None
    )
    if (
        stem(leading) in named
        or (only_one and re.search(r"\b(?:it|that one|this one)\b", before))
        or re.search(r"\bthe first\b|\bwe\b|\bthe one who does\b(?! not)", before)
        or (re.search(rf"\b{stem(leading)}\w*[eo]r\b", before))
    ):
        doer = False
    elif not doer and not re.search(r"\bthe one who\b", before):
        return False
    if doer:
        mine, theirs = theirs, mine
    cells[leading, other] = (mine, theirs)
    if not re.search(r"\bwe\b.*\b(?:rival|competitor|they|other side)\b", text):
        cells[other, leading] = (theirs, mine)
    return True


def _use_setting(q: Phrasing, moves: Sequence[str]) -> None:
    """Mark the sentences that name the moves, and the question."""
    for a, b in q.sentences():
        text = q.plain[a:b]
        if (
            text.rstrip().endswith("?")
            or ("«" not in re.sub(r"«n0»", "", text) and stems(" ".join(moves)) & stems(text))
        ) and not re.search(
            r"\b(?:unless|except|without|but|already|agree\w*|contract|deal|pact|promise\w*|commit\w*|fined?|"
            r"penalt\w*|again|repeat\w*|every (?:day|week|year))\b",
            text,
            re.I,
        ):
            q.use_asking((a, b)) if text.rstrip().endswith("?") else q.use((a, b))


def _conclude_game(
    q: Phrasing, names: Sequence[str], moves: Sequence[str], cells: Mapping[tuple[str, str], tuple[float, float]]
) -> Any:
    asks_dominant = q.has(r"\bdominant\b|\bdominat\w+")
    asked = q.search(r"\bshould (?:we|i|you|they|each)\b([^?]*)\?")

    def conclude(result: MethodResult[Any]) -> Upshot:
        pure = [one for one in result.answer.equilibria if all(len(shares) == 1 for shares in one.strategies.values())]
        plays = [tuple(next(iter(one.strategies[name])) for name in names) for one in pure]
        dominant = [a for a in moves if all(cells[a, b][0] > cells[c, b][0] for b in moves for c in moves if c != a)]
        if asks_dominant and not dominant:
            return Upshot(f"No: no choice is best whatever the other does. {_plays(plays, names)}", "no")
        if (
            dominant
            and asked
            and len(stems(asked[1]) & stems(dominant[0])) + (dominant[0].startswith("not "))
            and not asks_dominant
            and "what" not in q.plain.lower().split("should")[0][-12:]
        ):
            says = "No" if dominant[0].startswith("not ") else "Yes"
            return Upshot(
                f"{says}: {dominant[0]} is best whatever the other does, so {_plays(plays, names)}", dominant[0]
            )
        if asks_dominant:
            return Upshot(f"Yes: {dominant[0]} is best whatever the other does.", dominant[0])
        if dominant:
            sentence = f"Each does best to choose {dominant[0]} whatever the other does: {_plays(plays, names)}"
            return Upshot(sentence, dominant[0])
        if not plays:
            mixed = result.answer.equilibria[0]
            shown = join_items(
                f"{name}: "
                f"{join_items(f'{move} {percent(float(share))}' for move, share in mixed.strategies[name].items())}"
                for name in names
            )
            return Upshot(f"No certain choice is stable; each mixes: {shown}.", shown)
        return Upshot(_plays(plays, names), "; ".join("/".join(one) for one in plays))

    return conclude


def _plays(plays: Sequence[Sequence[str]], names: Sequence[str]) -> str:
    if not plays:
        return "there is no stable outcome without chance."
    shown = [
        f"both {one[0]}"
        if len(set(one)) == 1
        else join_items(f"{name} {move}" for name, move in zip(names, one, strict=True))
        for one in plays
    ]
    if len(shown) == 1:
        return f"the only stable outcome is that {shown[0]}."
    return f"{len(shown)} outcomes are stable: {join_items(shown, 'or')}."


def _pennies(q: Phrasing) -> Reading:
    """Read a game of one against the other: the winner if both show the same, and if they differ."""
    found = re.search(
        rf"(?P<a>[A-Z]\w+) wins (?P<x>{NUMBER}) (?:from (?P<b>[A-Z]\w+) )?if (?:both (?:show|"
        rf"choose) the same(?: side)?|they match),? (?:and |but )?(?P<b2>[A-Z]\w+) wins (?P<y>{NUMBER})"
        r" (?:from [A-Z]\w+ )?if they (?:differ|do not match)",
        q.plain,
    )
    if found is None:
        return None
    q.use((0, found.end()))
    _use_setting(q, ("pennies",))
    x, y = q.value(found["x"]), q.value(found["y"])
    names, moves = (found["a"], found["b2"]), ("heads", "tails")
    cells = {(a, b): (x, -x) if a == b else (-y, y) for a in moves for b in moves}
    problem = {
        "kind": "normal_form",
        "strategies": {name: list(moves) for name in names},
        "payoffs": [[list(cells[a, b]) for b in moves] for a in moves],
    }
    return FilledForm(
        "game-theory",
        problem,
        f"{names[0]} wins {figure(x)} if both show the same, {names[1]} wins {figure(y)} if not",
        _conclude_game(q, names, moves, cells),
    )


def _move_of(condition: str, moves: Sequence[str]) -> str:
    """Return the move of which a condition speaks, or an empty text."""
    words = {stem(one) for one in condition.split()}
    return next((one for one in moves if stems(one) & stems(condition) or stem(one.split()[0]) in words), "")


def _in_turn(q: Phrasing) -> Reading:
    """Read a game of two moves: the first player's options, and the second player's replies."""
    opening = re.search(r"\b(?:An?|The|Our|We)\b ?(?P<who>[\w-]*) can (?P<a>[\w ]+?) or (?P<b>[\w ]+?)\.", q.plain)
    cases = _cases(q)
    if opening is None or len(cases) != 3:
        return None
    second, ends, answers = "", {}, {}
    for one in cases:
        reply = re.search(r"\band (?:the |its )?(?P<who>[\w-]+) (?P<move>[\w-]+)$", one.condition, re.I)
        pays = (
            one.amounts
            if len(one.amounts) == 2
            else one.amounts * 2
            if re.search(r"\b(?:both|each)\b", one.rest, re.I)
            else ()
        )
        move = _move_of(one.condition, (opening["a"], opening["b"]))
        if len(pays) != 2 or not move:
            return None
        if reply:
            second = reply["who"]
            answers[re.sub(r"s$", "", reply["move"])] = list(pays)
            mover = move
        else:
            ends[move] = list(pays)
        q.use(one.span)
    if len(answers) != 2 or len(ends) != 1 or not second:
        return None
    q.use(opening)
    _use_setting(q, (opening["a"],))
    first = opening["who"] or "we"
    tree = {
        "player": first,
        "moves": {name: {"payoffs": pays} for name, pays in ends.items()}
        | {mover: {"player": second, "moves": {name: {"payoffs": pays} for name, pays in answers.items()}}},
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        path = result.answer.path
        gets = join_items(f"{name} gets {figure(float(value))}" for name, value in result.answer.payoffs.items())
        return Upshot(f"{join_items(path, 'then')}: {gets}.", "/".join(path))

    shown = "; ".join(
        [
            *(f"{name}: {pays}" for name, pays in ends.items()),
            *(f"{mover}, {name}: {pays}" for name, pays in answers.items()),
        ]
    )
    problem = {"kind": "extensive_form", "players": [first, second], "tree": tree}
    return FilledForm("game-theory", problem, f"{first} moves first, then {second}. {shown}", conclude)
