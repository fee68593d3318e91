"""Payoffs by state of the world: with probabilities, without them, and the threshold probability."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, Phrasing, figure, is_chance, join_items, percent, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["payoffs"]
_CONDITION = re.compile(WORDS["condition"])
_VERB: str = WORDS["verb"]
_TRAILS = re.compile(WORDS["trails"])
_JOINS = r"^[\s,;]*(?:and|but|while|whereas|or)?\s*(?:the|an?|our)?\s+|\b(?:would|will|us|you)\b|[\s,]+$"


@dataclass(slots=True)
class _State:
    """A state of the world with what each act brings in it."""

    name: str
    span: tuple[int, int]
    head: tuple[int, int]
    payoffs: dict[str, float] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)


def read_payoffs(q: Phrasing, _held: Holdings) -> Reading:
    """Read the payoff of each act in each state of the world, with or without probabilities."""
    states = _headed_states(q) or list(_states(q))
    if len(states) < 2:
        states = _trailing_states(q)
    acts = list(dict.fromkeys(act for one in states for act in one.payoffs))
    if len(states) > 1 and len(acts) == 1 and q.has(r"\b(?:should|worth|good idea|pay off)\b"):
        for one in states:
            one.payoffs["not doing it"] = 0.0
    elif len(states) < 2 or len(acts) < 2:
        return None
    if q.has(r"\bboth\b|\beach (?:gets|earns|makes)\b|\brival\b|\bcompetitor\b|\bopponent\b"):
        return None  # a game: the other side chooses too
    acts = list(dict.fromkeys(act for one in states for act in one.payoffs))
    lacking = [f"what {act} brings if {one.name}" for one in states for act in acts if act not in one.payoffs]
    for one in states:
        for span in one.spans or [one.span]:
            q.use_clauses(span)
        q.use(one.head, *one.spans)
    if lacking:
        return MissingFields("decision-theory", tuple(lacking))
    shares = _state_shares(q, states)
    table = {act: {one.name: one.payoffs[act] for one in states} for act in acts}
    shown = "; ".join(
        f"if {one.name}: {join_items(f'{act} {figure(one.payoffs[act])}' for act in acts)}" for one in states
    )
    if q.has(WORDS["asks_threshold"]):
        return _threshold(q, table, states, shown)
    q.use_question()
    if shares:
        return _with_odds(table, shares, shown)
    return _without_odds(q, table, shown, states)


def _states(q: Phrasing) -> Iterator[_State]:
    marks = [*_CONDITION.finditer(q.plain)]
    known, acts = list[str](), list[str]()
    for place, mark in enumerate(marks):
        limit = marks[place + 1].start() if place + 1 < len(marks) else len(q.plain)
        stop = re.search(r"[.?](?=\s|$)", q.plain[mark.end() : limit])
        end = mark.end() + (stop.start() if stop else limit - mark.end())
        name = re.sub(r"^(?:the|an?|our)\s+", "", mark["state"].strip(), flags=re.I)
        state = _State(
            "not" if name.lower() in ("not", "it does not", "otherwise") else name, (mark.start(), end), mark.span()
        )
        if state.name == "not" and known:
            state.name = f"not: {known[0]}"
        _fill(q, state, acts, mark.end(), end)
        if state.payoffs:
            known.append(state.name)
            yield state


def _headed_states(q: Phrasing) -> list[_State]:
    """Read "Beach: 900 if it is sunny, 150 if it rains. Hall: 500 whatever the weather": the acts are headings."""
    states, names = dict[str, _State](), list[str]()
    heads = [*re.finditer(WORDS["heading"], q.plain)]
    for head in heads:
        end = next(b for a, b in q.sentences() if a <= head.end() < b)
        marks = [*re.compile(ANY).finditer(q.plain, head.end(), end)]
        found = [re.match(WORDS["state"], q.plain[one.end() : end]) for one in marks]
        if any(not one[0].startswith("«n") for one in marks):
            return []
        told = [_same_act(one["state"].strip(), names) for one in found if one]
        if not told and len(marks) == 1 and names and re.search(WORDS["sure"], q.plain[head.end() : end], re.I):
            told, marks = list(names), marks * len(names)
        told = told or names[: len(marks)]
        if len(told) != len(marks) or len(told) < 2:
            return []
        for name, one in zip(told, marks, strict=True):
            state = states.setdefault(name, _State(name, (head.start(), end), (head.start(), end)))
            state.payoffs[head["name"].strip()] = q.value(one[0])
            state.spans.append((head.start(), end))
            q.grasp_all((head.start(), end))
    return list(states.values()) if len(heads) > 1 else []


def _trailing_states(q: Phrasing) -> list[_State]:
    """Read "leasing pays 12 in a good season and 4 in a poor one": the state follows each amount."""
    states, names = dict[str, _State](), list[str]()
    acts, act, verb, at = list[str](), "", "", 0
    for one in re.finditer(ANY, q.plain):
        state = _TRAILS.match(q.plain, one.end())
        start = max(at, max((a for a, _ in q.sentences() if a <= one.start()), default=0))
        if state is None or not one[0].startswith("«n"):
            if re.search(rf"\b{_VERB}\b[^«]*$", q.plain[start : one.start()], re.I):
                return []  # an amount without its state
            continue
        before = q.plain[start : one.start()]
        found = re.search(rf"\b(?P<verb>{_VERB})\b[^«]*$", before, re.I)
        verb = found["verb"] if found else verb
        named = re.sub(_JOINS, " ", f" {before[: found.start()] if found else before}", flags=re.I)
        named = re.sub(r"\b(?:it|they|us|you)\b", "", q.written(named), flags=re.I).strip(" ,;")
        act = _same_act(named, acts) if named else act
        if not act or not verb:
            return []
        name = _same_act(re.sub(r"^(?:the|an?|our)\s+", "", state["state"].strip(), flags=re.I), names)
        row = states.setdefault(name, _State(name, (start, state.end()), (start, state.end())))
        if act in row.payoffs:
            return []
        row.payoffs[act] = -abs(q.value(one[0])) if re.match(r"los|cost", verb, re.I) else q.value(one[0])
        row.spans.append((start, state.end()))
        at = state.end()
    return list(states.values())


def _fill(q: Phrasing, state: _State, acts: list[str], start: int, end: int) -> None:
    """Read "a large hall earns 200 and a small one 100" into the state."""
    verb, at = "", start
    for one in re.compile(ANY).finditer(q.plain, start, end):
        before = q.plain[at : one.start()]
        if re.match(rf"\s*{_VERB}\b", q.plain[one.end() : end], re.I):
            continue  # "ordering 500 earns 4,000": part of the name
        found = re.search(rf"\b(?P<verb>{_VERB})\b[^«]*$", before, re.I)
        verb = found["verb"] if found else verb
        act = before[: found.start()] if found else before
        act = re.sub(rf"{_JOINS}|\bone\b", " ", f" {act}", flags=re.I)
        act = q.written(act).strip()
        at = one.end()
        if not act or not verb or not one[0].startswith("«n"):
            state.payoffs.clear()
            return
        value = q.value(one[0])
        known = _same_act(act, acts)
        state.payoffs[known] = -abs(value) if re.match(r"los|cost", verb, re.I) else value


def _same_act(act: str, acts: list[str]) -> str:
    """Return the name under which an act is already known: "the small one" is "small hall"."""
    words = set(re.findall(r"\w+", act.lower()))
    for one in acts:
        mine = set(re.findall(r"\w+", one.lower()))
        others = [set(re.findall(r"\w+", other.lower())) for other in acts if other != one]
        if words == mine or mine < words or (words < mine and not any(words <= other for other in others)):
            return one
    acts.append(act)
    return act


def _state_shares(q: Phrasing, states: Sequence[_State]) -> dict[str, float]:
    """Return the probabilities of the states; the last gets the remainder where all others are given."""
    shares: dict[str, float] = {}
    for one in re.finditer(ANY, q.plain):
        if any(a <= one.start() < b for state in states for a, b in state.spans or [state.span]) or not is_chance(
            q, one[0], one.start()
        ):
            continue
        a, b = next((a, b) for a, b in q.sentences() if a <= one.start() < b)
        clause = q.plain[a:b]
        common = [stems(state.name) for state in states]
        shared = set.intersection(*common) if common else set()
        said = [
            {a for a in words if any(a.startswith(b) or b.startswith(a) for b in stems(clause))} for words in common
        ]
        scores = [len(words - shared) + 0.1 * len(words) for words in said]
        best = max(range(len(states)), key=lambda place: scores[place])
        if scores[best] <= 0 or sorted(scores)[-2:].count(scores[best]) == 2:
            continue
        if len(re.findall(ANY, clause)) > 1:
            continue
        shares[states[best].name] = q.value(one[0])
        q.use((a, b))
    if len(shares) == len(states) - 1:
        last = next(one.name for one in states if one.name not in shares)
        shares[last] = round(1 - sum(shares.values()), 12)
    return shares if len(shares) == len(states) and abs(sum(shares.values()) - 1) < 1e-6 else {}


def _with_odds(table: Mapping[str, Mapping[str, float]], shares: Mapping[str, float], shown: str) -> FilledForm:
    def conclude(result: MethodResult[Any]) -> Upshot:
        values = result.answer.rules["expected"][1]
        ranked = sorted(values, key=lambda one: (-values[one], one))
        best = ranked[0]
        if values[best] - values[ranked[1]] <= 1e-9:
            return Upshot(
                f"No difference on average: {best} and {ranked[1]} are both worth {figure(values[best])}.",
                "no difference",
            )
        others = join_items(f"{name} {figure(values[name])}" for name in ranked[1:])
        return Upshot(f"{best[:1].upper()}{best[1:]}: worth {figure(values[best])} on average, against {others}.", best)

    odds = join_items(f"{name} {percent(p)}" for name, p in shares.items())
    problem = {"kind": "decision", "payoffs": table, "probabilities": dict(shares)}
    return FilledForm("decision-theory", problem, f"{shown}; {odds}", conclude, assumes="only the average counts")


def _without_odds(
    q: Phrasing, table: Mapping[str, Mapping[str, float]], shown: str, states: Sequence[_State]
) -> Reading:
    asked = [one for one in WORDS["rules"] if q.has(one[1])]
    best = [a for a, row in table.items() if all(row[at] >= b[at] for b in table.values() for at in row)]
    if not asked and len(best) == 1:
        says = f"{best[0][:1].upper()}{best[0][1:]}: it is at least as good as every other, whatever happens."
        problem = {"kind": "decision", "payoffs": table}
        return FilledForm("decision-theory", problem, f"{shown}; no probabilities", lambda _: Upshot(says, best[0]))
    if len(asked) != 1:
        names = join_items((one.name for one in states[:-1]), "and")
        return MissingFields(
            "decision-theory", (f"the probability of “{names}” (or which rule to use: cautious, regret)",), shown
        )
    name, pattern, told = asked[0]
    for found in q.matches(pattern):
        q.grasp_all(next(one for one in q.sentences() if one[0] <= found.start() < one[1]))
    q.find(r"[^.;]*\b(?:no idea|do(?: not|n['’]t) know|unknown|uncertain|nobody knows)\b[^.;]*\.?")

    def conclude(result: MethodResult[Any]) -> Upshot:
        key = next((one for one in result.answer.rules if name[:6] in one.lower().replace("minimax ", "")), "")
        best, values = result.answer.rules[key]
        value = abs(values[best]) if name == "regret" else values[best]
        return Upshot(f"{best[:1].upper()}{best[1:]}: it has {told} ({figure(value)}).", best)

    echo = f"{shown}; no probabilities; {told} is asked for"
    return FilledForm("decision-theory", {"kind": "decision", "payoffs": table}, echo, conclude)


def _threshold(q: Phrasing, table: Mapping[str, Mapping[str, float]], states: Sequence[_State], shown: str) -> Reading:
    """Read from which probability on one of two acts is the better one."""
    if len(states) != 2 or len(table) != 2:
        return None
    a, b = q.last()
    q.use_asking((a, b))
    asked = stems(q.plain[a:b])
    acts = list(table)
    wanted = max(acts, key=lambda act: len(stems(act) & asked))
    other = next(act for act in acts if act != wanted)
    first, second = (one.name for one in states)
    gain = table[wanted][first] - table[other][first]
    loss = table[other][second] - table[wanted][second]
    if gain <= 0 or loss <= 0:
        return None
    share = loss / (gain + loss)

    def conclude(result: MethodResult[Any]) -> Upshot:
        values = result.answer.rules["expected"][1]
        if abs(values[wanted] - values[other]) > 1e-6 * max(1.0, abs(values[wanted])):
            return Upshot("", changes="the two are not equal anywhere")
        return Upshot(
            f"{wanted[:1].upper()}{wanted[1:]} is better from a probability of {percent(share)} on (that {first}).",
            share,
        )

    problem = {"kind": "decision", "payoffs": table, "probabilities": {first: share, second: 1 - share}}
    return FilledForm("decision-theory", problem, f"{shown}; asked: when {wanted} is better than {other}", conclude)
