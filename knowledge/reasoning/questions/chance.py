"""Questions of chance: updates of a base rate on an observation, and independent failures."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import CHANCE, NUMBER, SHARE, Phrasing, join_items, percent, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["chance"]

ASKS_CHANCE: str = WORDS["asks_chance"]
_SEEN = re.compile(WORDS["seen"])
_SCOPE = re.compile(r"(?:of|among|out of|for) [^«,]+", re.IGNORECASE)


def _parts(q: Phrasing) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a question: a rate and its subject are in one."""
    start = 0
    for mark in re.finditer(r"[.;?!](?=\s|$)|:\s|\s[-–—]\s|,\s(?:and\s|but\s)?|\s(?:and|but)\s", q.plain):
        if mark[0][0] == "," and _SCOPE.fullmatch(q.plain[start : mark.start()].strip()):
            continue  # "of the real ones, 70% ..." is one clause
        if q.plain[start : mark.start()].strip():
            yield start, mark.end()
        start = mark.end()
    if q.plain[start:].strip():
        yield start, len(q.plain)


def read_bayes(q: Phrasing, _held: Holdings) -> Reading:
    """Read several sources with their shares and their rates: which one something came from."""
    if not q.has(ASKS_CHANCE + r"|\bwhich\b|\bwho\b|\bwhere\b"):
        return None
    rates = _rates(q)
    count = len(rates) // 2
    if count < 2 or len(rates) != 2 * count:
        return None
    priors = [q.value(token) for token, _ in rates[:count]]
    if abs(sum(priors) - 1) > 1e-3:
        return None
    names = []
    for token, (a, _) in rates[:count]:
        before = [one[0] for one in _NAME.finditer(q.plain[a : q.plain.index(token)])]
        names.append(before[-1].split()[-1] if before else "")
    if not all(names) or len(set(names)) != count:
        return None
    likelihood: dict[str, float] = {}
    for place, (token, (a, b)) in enumerate(rates[count:]):
        named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", q.plain[a:b])]
        likelihood[named[0] if len(named) == 1 else names[place]] = q.value(token)
    if len(likelihood) != count:
        return None
    for _, clause in rates:
        q.use(clause)
    q.counted(count)
    last = q.last()
    asked = q.plain[last[0] : last[1]]
    _use_observation(q, rates, last)
    q.use_asking(last)
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", asked)]

    def conclude(result: MethodResult[Any]) -> Upshot:
        shares = dict(result.claims[0].distribution)
        best = max(shares, key=lambda one: shares[one])
        if len(named) == 1:
            sure = shares[named[0]]
            return Upshot(f"{named[0]} with probability {percent(sure)}.", sure, sure)
        others = join_items(
            f"{name} {percent(shares[name])}" for name in sorted(shares, key=lambda one: -shares[one])[1:]
        )
        return Upshot(f"Most likely {best}, with probability {percent(shares[best])} ({others}).", best, shares[best])

    shown = join_items(
        f"{name} has {percent(p)} and a rate of {percent(likelihood[name])}"
        for name, p in zip(names, priors, strict=True)
    )
    problem = {"kind": "hypotheses", "prior": dict(zip(names, priors, strict=True)), "likelihood": likelihood}
    return FilledForm("bayesian", problem, shown, conclude)


def _rates(q: Phrasing) -> list[tuple[str, tuple[int, int]]]:
    """Return the rates of a question, each with its clause."""
    found = []
    for one in re.finditer(CHANCE, q.plain):
        if one[0].startswith("«n") and not 0 < q.value(one[0]) < 1:
            continue
        clause = next((span for span in _parts(q) if span[0] <= one.start() < span[1]), (0, 0))
        found.append((one[0], clause))
    return found


def _use_observation(q: Phrasing, rates: Sequence[tuple[str, tuple[int, int]]], last: tuple[int, int]) -> bool:
    """Mark the clauses that report the observation: they share a word with a rate or name an observation."""
    known = set[str]().union(*(stems(q.plain[a:b]) for _, (a, b) in rates))
    found, asked = False, q.asking(last)[0]
    for a, b in _parts(q):
        part = q.plain[a:b]
        asks = a >= asked and not re.search(r"\bgiven\b|\bif\b|\bwhen\b", part, re.I)
        if re.search(CHANCE, part) or asks:
            found = found or (asks and bool(_SEEN.search(part)))
            continue
        if _SEEN.search(part) or stems(part) & known:
            found = q.use((a, b))
    return found


_NAME = re.compile(WORDS["name"])


_FAILS: str = WORDS["fails"]
_WORKS: str = WORDS["works"]


def read_failures(q: Phrasing, _held: Holdings) -> Reading:
    """Read independent events and their combination: a failure if one, if all, or if a number of them happen."""
    if not q.has(ASKS_CHANCE + r"|\bmatters more\b|\bhow often\b|\bavailab\w+|\breliab\w+"):
        return None
    return _alike(q) or _named_events(q) or _listed_parts(q)


_ASKS_FAILURE: str = WORDS["asks_failure"]


def _listed_parts(q: Phrasing) -> Reading:
    """Read parts that are all needed, each with its chance, and groups of which one is enough."""
    rates = list(re.finditer(SHARE, q.plain))
    last = q.last()
    if (
        len(rates) < 2
        or q.has(r"\b(?:positive|negative|false|flag\w*|tests?|tested|twice)\b")
        or not q.has(r"\b(?:needs?|must|requires?|all|both|depends? on|every|only (?:works?|if)|in a row|go through)\b")
    ):
        return None
    told = re.sub(r"\b(?:fails?|breaks? down|works?|run) independently\b", "", q.plain[: last[0]], flags=re.I)
    fails, works = (re.search(rf"\b(?:{one})\b", told, re.I) is not None for one in (_FAILS, _WORKS))
    works = works or (not fails and all(q.value(one[0]) >= 0.8 for one in rates))
    asked = q.plain[slice(*last)]
    if (
        fails == works
        or re.search(
            r"(?i)\b(?:if|when|given|unless|except|already|together)\b",
            re.sub(r"(?i)\bonly (?:\w+ )?(?:if|when)\b", "", q.plain),
        )
        or any(last[0] <= one.start() for one in rates)
    ):
        return None
    groups: dict[str, list[str]] = {}
    for place, one in enumerate(rates, 1):
        bracket = q.plain.rfind("(", 0, one.start())
        within = (
            bracket >= 0
            and ")" not in q.plain[bracket : one.start()]
            and q.plain[bracket : q.plain.find(")", bracket)].count("«p") > 1
        )
        spare = within and re.search(
            r"\b(?:at least one|one|either|any) of\b[^.;,(]*$|\bor\b[^.;,(]*$", q.plain[:bracket], re.I
        )
        if within and not spare:
            return None
        groups.setdefault(f"group {bracket}" if spare else f"part {place}", []).append(f"number {place}")
    if not any(len(names) > 1 for names in groups.values()) and q.has(r"\b(?:at least one|either|enough|backup|or)\b"):
        return None
    events = {
        f"number {place}": q.value(one[0]) if fails else 1 - q.value(one[0]) for place, one in enumerate(rates, 1)
    }
    gates: dict[str, dict[str, Any]] = {name: {"when": "all", "of": of} for name, of in groups.items()}
    wants_failure = re.search(_ASKS_FAILURE, asked, re.I) is not None
    for of in groups.values():
        q.counted(len(of))
    if any(not q.written(one).isalpha() for one in q.numbers()):
        return None
    q.use((0, len(q.plain)))
    problem = {
        "kind": "fault_tree",
        "top": "top",
        "gates": {"top": {"when": "any", "of": list(gates)}, **gates},
        "events": events,
    }
    shown = " and ".join(" or ".join(percent(1 - events[one]) for one in of) for of in groups.values())
    echo = f"all are needed, each working with {shown}"
    return FilledForm(
        "root-cause", problem, echo, lambda result: _probability(result, wants_failure), assumes="they are independent"
    )


def _alike(q: Phrasing) -> Reading:
    """Read so many things of the same chance: at least one, all, none, or so many of them."""
    rates = _rates(q)
    if len(rates) != 1 or q.shares()[1:]:
        return None
    token, clause = rates[0]
    numbers = [
        one for one in q.numbers() if one != token and q.value(one) == int(q.value(one)) and 1 < q.value(one) <= 50
    ]
    if not numbers or not q.has(r"\b(?:each|every|both|either|independent\w*|all of them|at least one|an?)\b"):
        return None
    p, event = q.value(token), q.plain[clause[0] : clause[1]]
    asked_at = q.last()
    asked = q.plain[asked_at[0] : asked_at[1]]
    told_by = _read_threshold(q, p, event, asked, numbers)
    if told_by is None:
        return None
    count, p, least, top, told = told_by
    for one in numbers:
        if int(q.value(one)) == count:
            q.use((at := q.plain.index(one), at + len(one)))
    q.use(clause)
    q.use_asking(asked_at)
    q.find(r"\bindependent(?:ly)?\b(?: of each other| from one another)?")
    names = [f"number {place}" for place in range(1, count + 1)]
    gate = {"when": "at least", "of": names, "least": least}
    problem = {"kind": "fault_tree", "top": "top", "gates": {"top": gate}, "events": dict.fromkeys(names, p)}
    for start, end in _parts(q):  # "We keep three independent backups."
        part = q.plain[start:end]
        is_stated = start < asked_at[0] and re.search(NUMBER, part)
        if is_stated and not re.search(r"\b(?:but|unless|except|when|if)\b", part, re.I):
            q.use((start, end))
    echo = f"{count} independent events of {percent(p)} each; asked: {told}"
    return FilledForm(
        "root-cause",
        problem,
        echo,
        lambda result: _probability(result, top),
        assumes="the events are independent of each other",
    )


def _read_threshold(
    q: Phrasing, p: float, event: str, asked: str, numbers: Sequence[str]
) -> tuple[int, float, int, bool, str] | None:
    """Return how many there are, the chance of each, how many must happen, whether that is asked, and its words."""
    count = int(q.value(numbers[0]))
    fails, works = (re.search(rf"\b{one}\b", event, re.I) is not None for one in (_FAILS, _WORKS))
    threshold = q.search(
        rf"\b(?:works?|runs?|holds?|is up) (?:as long as|if|when|provided) (?:at least )?({NUMBER})"
        r" (?:of )?(?:them|the|its|\w+)?[^.;?]*"
    )
    enough = q.search(WORDS["enough"])
    if len({q.value(one) for one in numbers}) > 1 and not (enough or threshold or "at least" in asked):
        return None
    if enough and (fails or works):
        word = enough["n"] or enough["m"] or enough["k"]
        count = int(q.value(enough["all"])) if enough["all"] else count
        needed = int(q.value(word)) if word.startswith("«") else 1
        p = p if fails else 1 - p
        q.grasp(enough)
        least, top = count - needed + 1, re.search(_ASKS_FAILURE, asked, re.I) is not None
        told = f"{needed} of {count} is enough"
    elif threshold and fails and re.search(rf"\b{_FAILS}\b|\b{_WORKS}\b", asked, re.I):
        needed = int(q.value(threshold[1]))
        q.grasp(threshold)
        least, top = count - needed + 1, re.search(rf"\b{_FAILS}\b", asked, re.I) is not None
        told = f"the system fails if {least} or more of {count} fail"
    else:
        quantity = _quantity(q, asked, count)
        if quantity is None:
            return None
        least, top, told = quantity
        if told == "none" and fails and not re.search(rf"\b{_FAILS}\b", asked, re.I):
            return None  # "with none": none fails, or none works?
        if fails and re.search(rf"\b{_WORKS}\b", asked, re.I) and not re.search(rf"\b{_FAILS}\b", asked, re.I):
            p, told = 1 - p, f"{told}, each working with {percent(1 - p)}"
        elif works and re.search(rf"\b{_FAILS}\b", asked, re.I) and not fails:
            p, told = 1 - p, f"{told}, each failing with {percent(1 - p)}"
    return count, p, least, top, told


def _quantity(q: Phrasing, asked: str, count: int) -> tuple[int, bool, str] | None:
    """Return how many must happen, whether that is asked for (or its contrary), and how that reads."""
    if re.search(r"\b(?:at least one|one or more|any of)\b", asked, re.I):
        return 1, True, "at least one"
    if re.search(r"\b(?:none|no one|not one|neither|nobody|without a single)\b", asked, re.I):
        return 1, False, "none"
    if re.search(r"\ball\b|\bboth\b|\bevery one\b|\bcompletely\b|\bentirely\b", asked, re.I) and not re.search(
        r"\bnot (?:all|both)\b", asked, re.I
    ):
        return count, True, "all"
    if found := re.search(rf"\bat least ({NUMBER})", asked, re.I):
        return int(q.value(found[1])), True, f"at least {int(q.value(found[1]))}"
    return None


def _probability(result: MethodResult[Any], happens: bool) -> Upshot:
    """Return the probability of the top of a fault tree, or that it does not happen."""
    chance = float(result.answer.probability)
    value = chance if happens else 1 - chance
    return Upshot(f"The probability is {percent(value)}.", value, 1.0)


def _named_events(q: Phrasing) -> Reading:
    """Read a failure by its parts: "fails if the database fails or if both web servers fail"."""
    rule = q.search(
        rf"(?P<top>[^.;?]*?)\b(?:{_FAILS})(?: to \w+)?,? (?:only )?(?P<word>if|when|as soon "
        r"as|whenever)\b(?P<parts>[^.;?]*)"
    ) or q.search(rf"^(?P<top>[^.;?,«]*?) (?P<word>if|when|whenever) (?P<parts>[^.;?«]*\b{_FAILS}[^.;?«]*)(?=\.)")
    needs = q.search(
        rf"(?P<top>[^.;?]*?)\b(?:{_WORKS}|needs?|requires?)(?: only)? ?(?P<word>if|when|needs|"
        r"requires|as long as)?\b(?P<parts>[^.;?]*)"
    )
    other = q.search(rf"\bone\b[^,.;]*?({CHANCE})[^.;]*?\bthe other\b[^.;]*?({CHANCE})")
    if other and len(_rates(q)) == 2:
        return _two_others(q, other)
    if rule is not None and not q.search(rf"\b{_WORKS}\b[^.;?]*\bonly if\b"):
        groups, when, found = _condition(rule["parts"]), "any", rule
    elif needs is not None and re.search(r"\b(?:only if|needs|requires)\b", needs[0], re.I):
        groups, when, found = [[one] for one in _things(needs["parts"])], "any", needs
    else:
        return None
    if not groups:
        return None
    q.use(found)
    events, gates, lacking = _gates(q, groups, found.span())
    if lacking:
        return MissingFields("root-cause", tuple(lacking))
    asked = q.question
    q.use_asking(q.last())
    q.find(r"\bindependent(?:ly)?\b")
    problem = {
        "kind": "fault_tree",
        "top": "top",
        "gates": {"top": {"when": when, "of": list(gates)}, **gates},
        "events": events,
    }
    wants_works = re.search(rf"\b{_WORKS}\b", asked, re.I) is not None and not re.search(
        rf"\b{_FAILS}\b|\bnot\b", asked, re.I
    )
    shown = join_items(
        (
            f"{'all of ' if len(gate['of']) > 1 else ''}"
            + join_items(f"{one} ({percent(events[one])})" for one in gate["of"])
            for gate in gates.values()
        ),
        "or",
    )

    def conclude(result: MethodResult[Any]) -> Upshot:
        said = _probability(result, not wants_works)
        ranked = sorted(result.answer.importance.items(), key=lambda one: (-one[1].criticality, one[0]))
        source = "" if wants_works else f" Most of it comes from {ranked[0][0]}."
        return Upshot(f"{said.sentence}{source}", said.headline, 1.0)

    echo = f"it fails if {shown} fail"
    return FilledForm("root-cause", problem, echo, conclude, assumes="the parts fail independently of each other")


def _gates(
    q: Phrasing, groups: Sequence[Sequence[str]], rule: tuple[int, int]
) -> tuple[dict[str, float], dict[str, dict[str, Any]], list[str]]:
    """Return the events with their chances, a gate for each group of things, and the chances that are not said."""
    events: dict[str, float] = {}
    gates: dict[str, dict[str, Any]] = {}
    lacking = []
    for number, group in enumerate(groups):
        names = []
        for thing in group:
            chance = _chance_of(q, thing, rule)
            bare = re.sub(r"^(?:both|all|the|a|an|our|its)\s+", "", thing, flags=re.I).strip()
            if chance is None:
                article = "" if bare[:1].isupper() else "the "
                lacking.append(f"the probability that {article}{bare} fails")
                continue
            copies = [f"{bare} 1", f"{bare} 2"] if re.match(r"both\b", thing, re.I) else [bare]
            events |= dict.fromkeys(copies, chance)
            names += copies
        gates[f"group {number}"] = {"when": "all", "of": names}
    return events, gates, lacking


def _two_others(q: Phrasing, found: re.Match[str]) -> Reading:
    """Read "one fails with 10% and the other with 20%": both, at least one or none of them."""
    asked_at = q.last()
    quantity = _quantity(q, q.plain[asked_at[0] : asked_at[1]], 2)
    if quantity is None:
        return None
    least, top, told = quantity
    asked = q.plain[asked_at[0] : asked_at[1]]
    fails, works = (re.search(rf"\b{one}\b", found[0], re.I) is not None for one in (_FAILS, _WORKS))
    asks_fail, asks_work = (re.search(rf"\b{one}\b", asked, re.I) is not None for one in (_FAILS, _WORKS))
    if (fails and asks_fail and asks_work) or (not fails and not works and asks_fail != asks_work):
        return None
    turned = (fails and asks_work) or (works and not fails and asks_fail and not asks_work)
    q.use(found)
    q.use_asking(asked_at)
    q.counted(2)
    q.find(r"\bindependent(?:ly)?\b")
    one, other = (1 - q.value(found[place]) if turned else q.value(found[place]) for place in (1, 2))
    events = {"one": one, "the other": other}
    problem = {
        "kind": "fault_tree",
        "top": "top",
        "gates": {"top": {"when": "at least", "of": list(events), "least": least}},
        "events": events,
    }
    echo = f"two independent events of {percent(events['one'])} and {percent(events['the other'])}; asked: {told}"
    return FilledForm(
        "root-cause", problem, echo, lambda result: _probability(result, top), assumes="the two are independent"
    )


def _condition(text: str) -> list[list[str]]:
    """Return a condition as alternatives, each of things that must all fail."""
    groups = []
    for part in re.split(r",?\s+or\s+(?:if\s+)?", text.strip(" ,.")):
        bare = re.sub(r"^(?:if|both of|either)\s+", "", part.strip(), flags=re.I)
        things = _things(bare)
        if not things:
            return []
        groups.append(things)
    return groups


def _things(text: str) -> list[str]:
    """Return the things of an enumeration without their verb: "the grid and the generator fail"."""
    bare = re.sub(
        rf"\s+(?:is|are|do|does|has|have)?\s*(?:{_FAILS}|{_WORKS})\s*(?:down|up)?\s*$",
        "",
        text.strip(" ,."),
        flags=re.I,
    )
    parts = [one.strip() for one in re.split(r",\s*(?:and\s+)?|\s+and\s+", bare) if one.strip()]
    return [re.sub(rf"\s+(?:is|are)?\s*(?:{_FAILS})\s*(?:down)?$", "", one, flags=re.I) for one in parts]


def _chance_of(q: Phrasing, thing: str, without: tuple[int, int]) -> float | None:
    """Return the rate that is given for a thing, in a clause that has its words; marks the clause."""
    words, head = stems(thing), re.escape(thing.rpartition(" ")[2])
    rates = [(token, span) for token, span in _rates(q) if not without[0] <= span[0] < without[1]]
    known = [(token, span, stems(q.plain[slice(*span)])) for token, span in rates]
    named = [one[:2] for one in known if words and (words <= one[2] or len(words & one[2]) * 2 > len(words))]
    # "the reader" for "the card reader", as long as nothing else tells the two apart
    bare = [
        one for one in rates if re.search(rf"(?:^|\b(?:the|a|an|our|and|or)) {head}\b", q.plain[slice(*one[1])], re.I)
    ]
    for token, span in named or (bare if len(bare) == 1 else []):
        q.use(span)
        return q.value(token)
    return None
