"""Dice, coins and draws from a box: every equally likely outcome is counted."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import comb
from typing import Any

from mabos.knowledge.reasoning.questions.chance import ASKS_CHANCE
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

_ASKED = r"\b(?:what|how)\b[^.?]*?\b(?:probability|chance|likely|odds)\b[^.?«]*"


def read_odds(q: Phrasing, _held: Holdings) -> Reading:
    """Read dice, coins and draws from a box: every equally likely outcome is counted."""
    if not q.has(ASKS_CHANCE) or q.has(r"\b(?:loaded|biased|weighted|unfair|rigged|crooked)\b"):
        return None
    return _dice(q) or _coins(q) or _draws(q)


def _counted_ways(ways: Mapping[str, int], wanted: Sequence[str], echo: str) -> FilledForm:
    """Return the form that normalises the numbers of ways of each outcome."""
    shown = {name: count for name, count in ways.items() if count}
    problem = {
        "kind": "factors",
        "variables": {"outcome": list(shown)},
        "tables": [{"over": ["outcome"], "values": list(shown.values())}],
        "query": ["outcome"],
    }
    good, every = sum(shown.get(one, 0) for one in wanted), sum(shown.values())

    def conclude(result: MethodResult[Any]) -> Upshot:
        shares = dict(result.claims[0].distribution)
        chance = sum(shares.get(one, 0.0) for one in wanted)
        sentence = f"The probability is {percent(chance)} ({good:,} of {every:,} equally likely outcomes)."
        return Upshot(sentence, chance, 1.0, "Only dice, coins or draws that are not fair would change it.")

    return FilledForm("bayesian", problem, echo, conclude)


_BOUND = (
    rf"(?P<bound>at least |at most |more than |less than |exactly |above |over |below |under )?(?P<number>{NUMBER})"
)


def _meets(bound: str | None, value: float, number: float) -> bool:
    match (bound or "").strip().lower():
        case "at least":
            return value >= number
        case "at most":
            return value <= number
        case "more than" | "above" | "over":
            return value > number
        case "less than" | "below" | "under":
            return value < number
    return value == number


def _dice(q: Phrasing) -> Reading:
    dice = q.find(rf"(?:({NUMBER})|\ban?|\bone) (?:fair |ordinary |normal |six-sided )?(?:dice|die)\b")
    if dice is None:
        return None
    count = int(q.value(dice[1])) if dice[1] else 1
    wanted = q.search(rf"\b(?:total|sum|roll\w*|throw\w*|get\w*)(?: of| to| is| a| an)* {_BOUND}(?! dice)")
    if wanted is None or not 1 <= count <= 6 or q.plain.find(wanted["number"]) == dice.start():
        return None
    q.use(wanted)
    q.find(_ASKED)
    ways: dict[str, int] = {}
    for faces in product(range(1, 7), repeat=count):
        ways[str(sum(faces))] = ways.get(str(sum(faces)), 0) + 1
    number = q.value(wanted["number"])
    return _counted_ways(
        ways,
        [one for one in ways if _meets(wanted["bound"], float(one), number)],
        f"{count} fair dice; a total of {(wanted['bound'] or '').strip()} {number:g}".replace("of  ", "of "),
    )


def _coins(q: Phrasing) -> Reading:
    toss = q.search(
        rf"\b(?:toss\w*|flip\w*|throw\w*)\b[^.,;?]*?\bcoins?\b(?: ({NUMBER}|twice|three|once) ?times?| twice| once)?"
    )
    many = q.search(rf"\b(?:toss\w*|flip\w*)\b[^.,;?]*?({NUMBER}) (?:fair )?coins\b")
    wanted = q.search(
        rf"\b{_BOUND.replace('exactly ', 'exactly ')} (?P<face>heads|tails)\b|\b(?P<all>all|"
        r"only) (?P<same>heads|tails)\b|\b(?P<any>at least one) (?:head|tail)\b"
    )
    if toss is None or wanted is None:
        return None
    times = many[1] if many else toss[1]
    count = 2 if toss[0].lower().endswith("twice") else int(q.value(times)) if times and times.startswith("«") else 0
    if not 1 <= count <= 60:
        return None
    q.use(many or toss, wanted)
    q.find(_ASKED)
    ways = {str(heads): comb(count, heads) for heads in range(count + 1)}
    if wanted["all"]:
        good = [str(count)]
    elif wanted["any"]:
        good = [one for one in ways if one != "0"]
    else:
        good = [one for one in ways if _meets(wanted["bound"], float(one), q.value(wanted["number"]))]
    return _counted_ways(ways, good, f"{count} tosses of a fair coin; {q.written(wanted[0])}")


def _draws(q: Phrasing) -> Reading:
    """Read draws from a box of things of two or more kinds, without putting back."""
    box = [*re.finditer(rf"({NUMBER}) (\w+)(?: (?:balls?|marbles?|socks?|tickets?|cards?|chips?|apples?))?\b", q.plain)]
    draw = q.search(
        rf"\b(?:draw|take|pick|pull)\w*\s+(?:out )?({NUMBER})[^.?;]*|({NUMBER}) (?:are|were) (?:draw|take|pick|"
        rf"pull)\w*[^.?;]*"
    )
    same = q.search(
        r"\b(?:both|all|all of them|the two|all three)\b(?: of them)? (?:are|is|being) (\w+)|"
        r"\bthey(?:['’]re| are) (?:both|all) (?P<they>\w+)"
    )
    if draw is None or same is None or (q.search(r"\bput(?:ting)?\b[^.]*\bback\b") and not q.has(r"\bwithout\b")):
        return None
    kinds = {one[2].lower(): (q.value(one[1]), one) for one in box if one.start() < draw.start()}
    colour, drawn = (same[1] or same["they"]).lower(), int(q.value(draw[1] or draw[2]))
    if len(kinds) < 2 or colour not in kinds or any(value != int(value) for value, _ in kinds.values()):
        return None
    for _, one in kinds.values():
        q.use(one)
    q.use(draw, same)
    q.find(_ASKED)
    total, mine = int(sum(value for value, _ in kinds.values())), int(kinds[colour][0])
    if drawn > total:
        return None
    ways = {str(hit): comb(mine, hit) * comb(total - mine, drawn - hit) for hit in range(drawn + 1)}
    shown = join_items(f"{int(value)} {name}" for name, (value, _) in kinds.items())
    return _counted_ways(ways, [str(drawn)], f"{drawn} drawn from {shown} without putting back; all {colour}")
