"""Votes: rankings with counts, votes for one, approvals and scores."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, SHARE, Phrasing, figure, join_items
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["votes"]
_RULES: Mapping[str, str] = WORDS["rules"]
_THEN: str = WORDS["then"]
"""The words and marks between the names of a ranking."""
_NAME: str = WORDS["name"]
_CHAINS = [re.compile(rf"{_NAME}(?:{then}(?!«|then\b){_NAME})+", re.IGNORECASE) for then in (r"\s*>\s*", _THEN)]
_VOTER: str = WORDS["voter"]
_CHANGES = re.compile(WORDS["changes"])
"""Words of a sentence without figures that may change a count of votes."""
_CHOICE = r"(?:the |a (?!(?:and|or|but)\b))?(?!(?:and|or|but|for)\b)[A-Za-z][\w-]*"


def read_votes(q: Phrasing, _held: Holdings) -> Reading:
    """Read ballots: rankings with counts, votes for one, approvals or scores; the winner by the rule asked for."""
    if not q.has(
        r"\b(?:vote\w*|voted|prefer\w*|rank\w*|ballots?|wins?|winner|approv\w*|fine for|"
        r"suits|take|scored|judges|better|ok for|okay for|beats?|majority|choos\w+|said|says)\b"
    ):
        return None
    return _read_rankings(q) or _counted_votes(q) or _read_approvals(q) or _read_scores(q)


def _clean(name: str) -> str:
    """Return a name without its article; "A" alone is a name."""
    return re.sub(r"^(?:the|a|an)\s+(?=\S)", "", name.strip(" ,.:"), flags=re.I)


def _read_rankings(q: Phrasing) -> Reading:
    found = _rankings(q)
    candidates = list(dict.fromkeys(name for names, _, _ in found for name in names))
    if len(found) < 2 or len(candidates) < 2:
        return None
    rankings = [(names, q.value(token) if token else 1.0) for names, token, _ in found]
    for *_, span in found:
        q.use(span)
    scale = 100 if any(count != int(count) for _, count in rankings) else 1
    ballots = [{"order": names, "count": round(count * scale)} for names, count in rankings]
    _use_voting(q, len(ballots))
    voters = sum(count for _, count in rankings)
    for a, b in q.sentences():
        if "«" not in q.plain[a:b] and not _CHANGES.search(q.plain[a:b]):
            q.use((a, b))
    q.use_settings((voters, voters - 1, len(candidates), len(ballots)))
    if points := _points(q, len(candidates)):
        return _by_points(rankings, candidates, points)
    setting = q.search(rf"^(?P<n>{NUMBER}) [^.:«]*\b(?:vot|rank|choos|chose)\w*\b[^.:«]*:")
    if setting is not None and q.value(setting["n"]) == voters:
        q.use(setting)
    asked = next((name for name, pattern in _RULES.items() if q.has(pattern)), "")
    problem: dict[str, Any] = {"kind": "ballots", "candidates": candidates, "rankings": ballots}

    def conclude(result: MethodResult[Any]) -> Upshot:
        return _describe_winner(result, asked, candidates)

    shown = "; ".join(
        f"{one['count']} {'%' if scale == 100 else 'x'} {' > '.join(names)}"
        for one, (names, _) in zip(ballots, rankings, strict=True)
    )
    return FilledForm("social-choice", problem, f"{shown}{f'; by {asked}' if asked else ''}", conclude)


def _rankings(q: Phrasing) -> list[tuple[list[str], str, tuple[int, int]]]:
    """Return the rankings of a question, each with its names, the figure that counts it, and its place.

    The candidates are the names that come back in every list: the longest lists that hold the same ones.
    """
    chains = list[tuple[list[str], str, tuple[int, int]]]()
    for one in _CHAINS[">" not in q.plain].finditer(q.plain):
        names = [_clean(name) for name in re.split(_THEN, one[0], flags=re.I) if name.strip()]
        counted = re.search(rf"({NUMBER}|{SHARE})(?:\s(?!«)[\w'’-]+){{0,4}}?\s?[:x×,]?\s*$", q.plain[: one.start()])
        if (
            counted
            and q.value(counted[1]) == len(names)
            and re.search(r"\b(?:the|these|all)\s+$", q.plain[: counted.start()], re.I)
        ):
            counted = None  # "I rank the three plans": the number of candidates
        start = max(q.plain.rfind(mark, 0, one.start()) for mark in (". ", "; ", "? ", ", ", " and ")) + 1
        start = max(start, q.plain.rfind(". ", 0, one.start()) + 1, 0)
        if (
            counted
            or re.search(_VOTER, q.plain[start : one.end()])
            or re.search(_VOTER, q.plain[max(0, one.start() - 24) : one.start()])
        ):
            chains.append((names, counted[1] if counted else "", (counted.start() if counted else start, one.end())))
    known = [set(map(str.lower, names)) for names, *_ in chains]
    shared = max(
        ({*one} & {*other} for place, one in enumerate(known) for other in known[place + 1 :]), key=len, default=set()
    )
    kept = [([name for name in names if name.lower() in shared], token, span) for names, token, span in chains]
    kept = [one for one in kept if len(one[0]) >= max(2, len(shared) - 1)]
    if len(shared) < 2 or any(
        len({*map(str.lower, names)}) != len(shared) or len(names) != len(shared) for names, *_ in kept
    ):
        return []
    spelled = {name.lower(): name for names, *_ in kept[::-1] for name in names}
    return [([spelled[name.lower()] for name in names], token, span) for names, token, span in kept]


def _points(q: Phrasing, count: int) -> list[float]:
    """Return the points of each place: "3 points for a first place, 2 for second and 1 for third"."""
    found = q.search(rf"({NUMBER})(?: points?)? for (?:an? |the )?(?:first|1st|top)\b[^.;?]*")
    found = found or q.search(rf"{NUMBER}(?:(?:, | and |, and ){NUMBER})+ points")
    tokens = re.findall(NUMBER, found[0]) if found else []
    points = [q.value(one) for one in tokens]
    if found is None or len(points) not in (count, count - 1) or points != sorted(points, reverse=True):
        return []
    q.use(next((a, b) for a, b in q.sentences() if a <= found.start() < b))
    return points + [0.0] * (count - len(points))


def _by_points(
    rankings: Sequence[tuple[list[str], float]], candidates: Sequence[str], points: Sequence[float]
) -> Reading:
    """Return the form of votes with points for each place."""
    ballots = [dict(zip(names, points, strict=True)) for names, count in rankings for _ in range(int(count))]
    problem = {
        "kind": "ballots",
        "candidates": list(candidates),
        "scores": [{"scores": one} for one in ballots],
        "rules": ["range"],
    }
    totals = {name: sum(one[name] for one in ballots) for name in candidates}

    def conclude(result: MethodResult[Any]) -> Upshot:
        winners = result.answer.winners["range"]
        others = join_items(
            f"{name} {figure(totals[name])}"
            for name in sorted(totals, key=lambda one: -totals[one])
            if name not in winners
        )
        if len(winners) > 1:
            return Upshot(
                f"A tie: {join_items(winners)} have {figure(totals[winners[0]])} points each, against {others}.", "tie"
            )
        return Upshot(f"{winners[0]} wins with {figure(totals[winners[0]])} points, against {others}.", winners[0])

    shown = "; ".join(f"{figure(count)} x {' > '.join(names)}" for names, count in rankings)
    return FilledForm("social-choice", problem, f"{shown}; {join_items(map(figure, points))} points by place", conclude)


def _describe_winner(result: MethodResult[Any], asked: str, candidates: Sequence[str]) -> Upshot:
    """Return who wins by the rule asked for, and who does by the others."""
    answer = result.answer
    if asked == "condorcet":
        if answer.condorcet is None:
            return Upshot(
                f"No: there is no Condorcet winner; {join_items(answer.smith)} beat each other in a circle.", "none"
            )
        return Upshot(f"{answer.condorcet} is the Condorcet winner: it beats every other in pairs.", answer.condorcet)
    key = asked if asked in answer.winners else ""
    if asked and not key:
        return Upshot("", changes=f"the rule {asked} was not counted")
    winners = answer.winners[key] if key else (answer.choice,)
    if len(winners) > 1:
        return Upshot(f"A tie by {key}: {join_items(winners)}.", "tie")
    others = [name for name in candidates if name != winners[0] and any(name in one for one in answer.winners.values())]
    note = f" By other rules {join_items(others, 'or')} would win." if others else " All usual rules agree."
    return Upshot(f"{winners[0]} wins{f' by {key}' if key else ''}.{note}", winners[0])


def _use_voting(q: Phrasing, count: int) -> None:
    q.counted(count)
    for a, b in q.sentences():
        text = q.plain[a:b]
        bare = re.sub(r"\bborda count\b", "", text, flags=re.I)
        if text.rstrip().endswith("?") and not re.search(
            r"\b(?:unless|except|without|but|counts?|twice|double)\b", bare, re.I
        ):
            q.use_asking((a, b))
    q.find(r"^[^.:«]*\b(?:voted|ballots|votes|committee members?|members|rank)\b[^.:«]*:") or q.find(
        r"^[^.:]*\b(?:committee members|members|judges|voters)\b[^.:]*:"
    )


def _counted_votes(q: Phrasing) -> Reading:
    pattern = (
        f"(?P<n>{NUMBER})(?: votes?| people| hands)?(?: went)? (?:for|to|want(?:ed)?|voted "
        f"for|chose|like) (?P<name>{_CHOICE})"
    )
    found = q.matches(pattern) or q.matches(rf"(?P<name>{_CHOICE}) (?:got|has|received|had) (?P<n>{NUMBER}) votes?")
    votes = {_clean(one["name"]): q.value(one["n"]) for one in found}
    if len(votes) < 2 or not q.has(r"\bvot\w+|\bhands\b") or len(votes) < len(found):
        return None
    q.use(*found)
    _use_voting(q, len(votes))
    asked = [name for name, pattern in _RULES.items() if q.has(pattern)]
    if asked and asked != ["plurality"]:
        return MissingFields("social-choice", ("the whole ranking of each voter",))
    problem = {
        "kind": "ballots",
        "candidates": list(votes),
        "rankings": [{"order": [name], "count": int(count)} for name, count in votes.items()],
        "rules": ["plurality"],
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        winners = result.answer.winners["plurality"]
        if len(winners) > 1:
            return Upshot(f"A tie: {join_items(winners)} have {figure(votes[winners[0]])} votes each.", "tie")
        others = sum(count for name, count in votes.items() if name != winners[0])
        note = "" if votes[winners[0]] > others else " It has no majority: more votes went to the others together."
        return Upshot(f"{winners[0]} wins with {figure(votes[winners[0]])} votes.{note}", winners[0])

    echo = join_items(f"{name} {figure(count)}" for name, count in votes.items()) + " votes; plurality"
    return FilledForm("social-choice", problem, echo, conclude)


def _read_approvals(q: Phrasing) -> Reading:
    approvals: dict[str, list[str]] = defaultdict(list)
    people = r"[A-Z]\w+(?:(?:, | and |, and )[A-Z]\w+)*"
    by_option = [
        *re.finditer(
            f"(?P<option>{_CHOICE}) (?:is|are) (?:fine|ok|okay|good|possible|all right) for "
            f"(?P<who>{people})|(?P<option2>{_CHOICE}) suits (?P<who2>{people})",
            q.plain,
        )
    ]
    for one in by_option:
        for who in re.findall(r"[A-Z]\w+", one["who"] or one["who2"]):
            approvals[who].append(_clean(one["option"] or one["option2"]))
        q.use(one)
    if not by_option:
        things = r"[\w-]+(?:(?:, and | and |, )(?!\w+ (?:approves?|likes?|accepts?)\b)[\w-]+)*"
        for one in re.finditer(
            r"(?P<who>[A-Z]\w+) (?:approves?(?: of)?|likes|accepts|would take|is fine with|is "
            f"happy with) (?P<what>{things})",
            q.plain,
        ):
            approvals[one["who"]] += [_clean(name) for name in re.split(r",?\s+and\s+|,\s*", one["what"]) if name]
            q.use(one)
    candidates = list(dict.fromkeys(name for names in approvals.values() for name in names))
    if len(approvals) < 2 or len(candidates) < 2:
        return None
    _use_voting(q, len(approvals))
    problem = {
        "kind": "ballots",
        "candidates": candidates,
        "approvals": [{"approved": list(dict.fromkeys(names))} for names in approvals.values()],
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        winners = result.answer.winners["approval"]
        count = sum(winners[0] in names for names in approvals.values())
        if len(winners) > 1:
            return Upshot(f"A tie: {join_items(winners)} suit {count} each.", "tie")
        return Upshot(f"{winners[0]}: it suits {count} of {len(approvals)}.", winners[0])

    return FilledForm(
        "social-choice", problem, "; ".join(f"{who}: {join_items(names)}" for who, names in approvals.items()), conclude
    )


def _read_scores(q: Phrasing) -> Reading:
    found = q.matches(
        f"(?P<name>{_CHOICE}) (?:got|scored|received|was given) (?P<list>{NUMBER}(?:(?:, | and |, and ){NUMBER})+)"
    )
    scores = {_clean(one["name"]): [q.value(token) for token in re.findall(NUMBER, one["list"])] for one in found}
    if len(scores) < 2 or len({len(one) for one in scores.values()}) != 1:
        return None
    q.use(*found)
    _use_voting(q, len(next(iter(scores.values()))))
    q.find(r"[^.:]*\b(?:judges?|voters?|people|members|reviewers|testers)\b[^.:«]*:")
    judges = [dict(zip(scores, values, strict=True)) for values in zip(*scores.values(), strict=True)]
    problem = {
        "kind": "ballots",
        "candidates": list(scores),
        "scores": [{"scores": one} for one in judges],
        "rules": ["range"],
    }

    def conclude(result: MethodResult[Any]) -> Upshot:
        winners = result.answer.winners["range"]
        means = {name: sum(values) / len(values) for name, values in scores.items()}
        if len(winners) > 1:
            return Upshot(f"A tie: {join_items(winners)} average {figure(means[winners[0]])}.", "tie")
        others = join_items(f"{name} {figure(means[name], 3)}" for name in means if name != winners[0])
        return Upshot(f"{winners[0]}: {figure(means[winners[0]], 3)} on average, against {others}.", winners[0])

    echo = "; ".join(f"{name}: {join_items(map(figure, values))}" for name, values in scores.items())
    return FilledForm("social-choice", problem, echo, conclude)
