"""Votes: rankings with counts, votes for one, approvals and scores."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, SHARE, Phrasing, figure, join_items
from mabos.knowledge.reasoning.result import MethodResult

_RULES: Mapping[str, str] = {
    "condorcet": r"\bcondorcet\b|\bhead[- ]to[- ]head\b|\bin pairs\b|\bpairwise\b", "borda": r"\bborda\b",
    "instant runoff": r"\binstant[- ]runoff\b|\birv\b|\branked[- ]choice\b|\balternative vote\b",
    "plurality": r"\bplurality\b|\bmost (?:first )?votes\b|\bfirst past the post\b|\bsimple majority\b",
    "schulze": r"\bschulze\b", "copeland": r"\bcopeland\b",
}  # fmt: skip
_THEN = (
    r"\s*>\s*",
    r"\s(?:over|to|before|above|ahead of)\s",
    r"(?:,?\s(?:and\s)?then\s|,?\sfollowed by\s|,\s(?:and\s)?|\sfirst,?\s(?:then\s)?)",
)
"""What stands between the names of a ranking; one ranking has one way."""
_CHOICE = r"(?:the |a (?!(?:and|or|but)\b))?(?!(?:and|or|but|for)\b)[A-Za-z][\w-]*"


def read_votes(q: Phrasing, _held: Holdings) -> Reading:
    """Read ballots: rankings with counts, votes for one, approvals or scores; the winner by the rule asked for."""
    if not q.has(
        r"\b(?:vote\w*|voted|prefer\w*|rank\w*|ballots?|wins?|winner|approv\w*|fine for|"
        r"suits|take|scored|judges|better|ok for|okay for)\b"
    ):
        return None
    return _read_rankings(q) or _counted_votes(q) or _read_approvals(q) or _read_scores(q)


def _clean(name: str) -> str:
    """Return a name without its article; "A" alone is a name."""
    return re.sub(r"^(?:the|a|an)\s+(?=\S)", "", name.strip(" ,.:"), flags=re.I)


def _read_rankings(q: Phrasing) -> Reading:
    rankings: list[tuple[list[str], float]] = []
    chains = "|".join(f"{_CHOICE}(?:{by}(?!«){_CHOICE})+" for by in _THEN)
    for one in q.matches(
        rf"(?:(?P<count>{NUMBER}|{SHARE})(?:\s(?!«)[\w-]+){{0,3}}?\s?[:x×]?\s+)?"
        rf"(?P<chain>{chains})(?=\W*(?:[.;,]|\sand\s«|$))"
    ):
        chain = re.split("|".join(_THEN), one["chain"], flags=re.I)
        names = [_clean(name) for name in chain if name and name.strip()]
        if one["count"] or ">" in one["chain"]:
            rankings.append((names, q.value(one["count"]) if one["count"] else 1.0))
            q.use(one)
    candidates = list(dict.fromkeys(name for names, _ in rankings for name in names))
    if len(rankings) < 2 or len(candidates) < 2 or any(sorted(names) != sorted(candidates) for names, _ in rankings):
        return None
    scale = 100 if any(count != int(count) for _, count in rankings) else 1
    ballots = [{"order": names, "count": round(count * scale)} for names, count in rankings]
    _use_voting(q, len(ballots))
    voters = sum(count for _, count in rankings)
    setting = q.search(rf"^(?P<n>{NUMBER}) [^.:«]*\b(?:vot|rank|choos|chose)\w*\b[^.:«]*:")
    if setting is not None and q.value(setting["n"]) == voters:
        q.use(setting)
    q.use_settings((voters, len(candidates), len(ballots)))
    asked = next((name for name, pattern in _RULES.items() if q.has(pattern)), "")
    problem: dict[str, Any] = {"kind": "ballots", "candidates": candidates, "rankings": ballots}

    def conclude(result: MethodResult[Any]) -> Upshot:
        return _describe_winner(result, asked, candidates)

    shown = "; ".join(
        f"{one['count']} {'%' if scale == 100 else 'x'} {' > '.join(names)}"
        for one, (names, _) in zip(ballots, rankings, strict=True)
    )
    return FilledForm("social-choice", problem, f"{shown}{f'; by {asked}' if asked else ''}", conclude)


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
