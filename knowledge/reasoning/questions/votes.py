"""Votes: rankings with counts, votes for one, approvals and scores."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, figure, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["votes"]
_RULES: Mapping[str, str] = WORDS["rules"]
_STARTS = re.compile(WORDS["starts"])
_FILLS = re.compile(WORDS["fills"], re.IGNORECASE)
_SEPARATOR = re.compile(WORDS["separator"], re.IGNORECASE)
_CHANGES = re.compile(WORDS["changes"])
"""Words of a sentence without figures that may change a count of votes."""
_CHOICE = r"(?:the |a (?!(?:and|or|but)\b))?(?!(?:and|or|but|for)\b)[A-Za-z][\w-]*"


def read_votes(q: Phrasing, _held: Holdings) -> Reading:
    """Read ballots: rankings with counts, single votes, approvals or scores; the winner by the requested rule."""
    if not q.has(WORDS["asks"]):
        return None
    return _motion(q) or _read_rankings(q) or _first_votes(q) or _read_approvals(q) or _read_scores(q)


def _clean(name: str) -> str:
    """Return a name without its article; "A" alone is a name."""
    return re.sub(r"^(?:the|a|an)\s+(?=\S)", "", name.strip(" ,.:;"), flags=re.I)


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
    if not asked and q.has(WORDS["other_rule"]):
        return MissingFields("social-choice", ("the rule of counting by its name",))
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

    A ballot begins with a number of voters or a voter and ends where the next begins. The candidates are the names
    that come back in every ballot.
    """
    starts = [
        one
        for one in _STARTS.finditer(q.plain)
        if one["n"] is None or q.value(one["n"]) == int(q.value(one["n"])) or one["n"][1] == "p"
    ]
    asking = q.asking(q.last())[0]
    ballots = list[tuple[re.Match[str], list[str], int]]()
    for place, one in enumerate(starts):
        sentence = next(b for a, b in q.sentences() if a <= one.start() < b)
        limit = starts[place + 1].start() if place + 1 < len(starts) else len(q.plain)
        end = min(sentence, limit) if one.start() < asking else one.end()
        names = [
            _clean(" ".join(_FILLS.sub(" ", re.sub(NUMBER, " ", part)).split()))
            for part in _SEPARATOR.split(q.plain[one.end() : end])
        ]
        ballots.append((one, [name for name in names if name], end))
    known = [{name.lower() for name in names} for _, names, _ in ballots]
    shared = max(
        (one & other for place, one in enumerate(known) for other in known[place + 1 :]), key=len, default=set()
    )
    spelled = {name.lower(): name for _, names, _ in ballots[::-1] for name in names}
    found = list[tuple[list[str], str, tuple[int, int]]]()
    for one, names, end in ballots:
        order = list(dict.fromkeys(name.lower() for name in names if name.lower() in shared))
        if len(order) >= max(2, len(shared) - 1):
            if len(order) != len(shared) or len(names) != len(shared):
                return []
            found.append(([spelled[name] for name in order], one["n"] or "", (one.start(), end)))
    return found if len(shared) > 1 else []


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
        firsts = {name: sum(count for names, count in rankings if names[0] == name) for name in candidates}
        top = max(firsts, key=lambda one: firsts[one])
        note = "" if top == winners[0] else f" By first places alone {top} would win with {figure(firsts[top])}."
        return Upshot(
            f"{winners[0]} wins with {figure(totals[winners[0]])} points, against {others}.{note}", winners[0]
        )

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
        against = answer.pairwise[answer.condorcet]
        pairs = join_items(
            f"{name} {against[name]} to {answer.pairwise[name][answer.condorcet]}"
            for name in candidates
            if name != answer.condorcet
        )
        return Upshot(
            f"{answer.condorcet} is the Condorcet winner: it beats every other in pairs, {pairs}.", answer.condorcet
        )
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
    q.find(r"\b(?:«n\d+»|one|two) (?:at a time|(?:against|by|on) (?:«n\d+»|one|two))")
    for a, b in q.sentences():
        text = q.plain[a:b]
        bare = re.sub(r"\bborda count\b", "", text, flags=re.I)
        if text.rstrip().endswith("?") and not re.search(
            r"\b(?:unless|except|without|but|counts?|twice|double)\b", bare, re.I
        ):
            q.use_asking((a, b))
    q.find(WORDS["setting"]) or q.find(r"^[^.:]*\b(?:committee members|members|judges|voters)\b[^.:]*:")


def _first_votes(q: Phrasing) -> Reading:
    """Read votes for one each: who has the most, or who wins a second round between two."""
    found = q.matches(WORDS["votes_for"]) or q.matches(WORDS["has_votes"]) or q.matches(WORDS["listed"])
    votes = {_clean(one["name"]): q.value(one["n"]) for one in found}
    if (
        len(votes) < 2
        or not q.has(r"\bvot\w+|\bhands\b|\bfirst (?:places?|round|choices?)\b|\belect\w*")
        or len(votes) < len(found)
    ):
        return None
    q.use(*found)
    q.counted(len(votes))
    q.counted(int(sum(votes.values())))
    _use_voting(q, len(votes))
    if q.has(WORDS["second"]) and len(votes) > 2:
        return _second_round(q, votes)
    asked = [name for name, pattern in _RULES.items() if q.has(pattern)]
    if (asked and asked != ["plurality"]) or q.has(WORDS["other_rule"]):
        return MissingFields("social-choice", ("the whole ranking of each voter",))
    return plurality(votes)


def plurality(votes: Mapping[str, float]) -> FilledForm:
    """Return the form of votes for one each: who has the most."""
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


def _second_round(q: Phrasing, votes: Mapping[str, float]) -> Reading:
    """Read between which two a second round is, and whom the voters of the others prefer then."""
    named = [name for name in votes if re.search(rf"(?i)\b{re.escape(name)}\b", q.question)]
    two = named if len(named) == 2 else sorted(votes, key=lambda one: -votes[one])[:2]
    q.use(*((a, b) for a, b in q.clauses() if "«" not in q.plain[a:b]))
    q.use_question()
    final, lacking = {name: votes[name] for name in two}, list[str]()
    for other in (name for name in votes if name not in two):
        moved = list[tuple[str, float]]()
        start = q.search(rf"(?:«n\d+» of (?:the )?)?\b{re.escape(other)}(?:['’]s?)? {WORDS['camp']}\b[^.;?]*")
        for one in re.finditer(WORDS["prefers"], start[0] if start else ""):
            target = next((name for name in two if re.match(rf"(?i){re.escape(name)}\b", one["name"])), "")
            moved.append(
                (
                    target,
                    1.0
                    if one["n"] == "one"
                    else q.value(one["n"])
                    if one["n"]
                    else votes[other]
                    if one["all"]
                    else -1.0,
                )
            )
        count = sum(number for _, number in moved)
        if not moved or any(not target or number < 0 for target, number in moved) or count > votes[other]:
            voters, choice = f"the {figure(votes[other])} voters of {other}", join_items(two, "or")
            lacking.append(f"whom {voters} prefer, {choice} (their second preference)")
        for target, number in moved:
            final[target] = final.get(target, 0) + number
        q.use(start)
    if lacking:
        return MissingFields("social-choice", tuple(lacking), settles=True)
    return plurality(final)


def _motion(q: Phrasing) -> Reading:
    """Read how many voted, how many of them for it, and the shares that a motion needs: whether it passes."""
    needs = [
        (one, q.value(share) if (share := one["share"] or one["big"]) else 0.5) for one in q.matches(WORDS["needs"])
    ]
    said = q.matches(r"«p\d+»|\bmajority\b|\bquorum of\b")
    if not needs or any(not any(one.start() <= word.start() < one.end() for one, _ in needs) for word in said):
        return None
    counts = {name: q.search(pattern) for name, pattern in WORDS["counts"].items()}
    given = {name: q.value(one["n"]) for name, one in counts.items() if one}
    if "against" in given and "for" in given:
        given.setdefault("cast", given["for"] + given["against"])
    if q.has(r"\babst\w+") and ("against" not in given or not q.has(WORDS["plain_majority"])):
        return None
    checks, lacking = list[tuple[str, float, float, float, bool]](), list[str]()
    for one, share in needs:
        is_quorum = re.search(WORDS["quorum"], q.plain[max(0, one.start() - 12) : one.end()], re.I) is not None
        part, whole = ("cast", "members") if is_quorum else ("for", "cast")
        lacking += [WORDS["lacks"][name] for name in (part, whole) if name not in given]
        strict = bool(re.search(r"(?i)\bmore than\b|\bmajority\b", one[0]))
        if not lacking:
            checks.append(("turnout" if is_quorum else "yes votes", given[part], given[whole], share, strict))
    if q.has(WORDS["plain_majority"]) and "against" in given:
        checks.append(("yes votes", given["for"], given["for"] + given["against"], 0.5, True))
    if lacking:
        return MissingFields("social-choice", tuple(dict.fromkeys(lacking)), settles=bool(given))
    q.use((0, len(q.plain)))
    for found in q.matches(r"\b(?:at least|more than|must|only|not)\b"):
        q.grasp(found)
    met = [a > share * b if strict else a >= share * b - 1e-9 for _, a, b, share, strict in checks]
    shown = join_items(
        f"{name} {figure(a)} of {figure(b)} ({percent(a / b)}, needed {percent(share)})"
        for name, a, b, share, _ in checks
    )
    count = (
        f", by {figure(given['for'])} to {figure(given['against'])}" if "for" in given and "against" in given else ""
    )
    says = f"{'Yes, it passes' if all(met) else 'No, it does not pass'}{count}: {shown}."
    given = {f"part {place}": a / b for place, (_, a, b, _, _) in enumerate(checks, 1)}
    return build_calculation(given, "part_1 + 0", "share", shown, lambda _: Upshot(says, says.partition(",")[0], 1.0))


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
