"""Updates on evidence: the probability of something given a sign, or of the source something came from.

The roles of a question's shares follow from its structure: the two rates of a sign share its verb, one is about the
group in question and the other about the rest, and the base rate has neither.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, distinct, slots
from mabos.knowledge.reasoning.questions.wording import ANY, Phrasing, figure, is_chance, join_items, percent, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["evidence"]
_ASKS = re.compile(WORDS["asks"], re.IGNORECASE)
_REST = re.compile(WORDS["rest"], re.IGNORECASE)
_DENIES = re.compile(r"(?i)\b(?:not|no|never|none|nothing|without|neither|nobody|un[a-z]{3,}ed|unpaid)\b|n['’]t\b")
_CLEAN = re.compile(WORDS["clean"])
_SPLIT = re.compile(r"[,;:]\s|\s[-–—]\s|\s(?:and|but|while|whereas)\s")
_LACKS = {
    "prior": "how common it is beforehand: the share of all cases (the base rate)",
    "hit": "how often the sign is seen where it is so",
    "false": "how often it is seen where it is not so (the rate of false alarms)",
}
CLEAR = 2.0


@dataclass(frozen=True, slots=True)
class _Rate:
    """A share of a question with the words of its clause, and the sentence that it is in."""

    slot: FigureSlot
    clause: str
    sentence: int

    @property
    def words(self) -> set[str]:
        """The stems of its clause."""
        return stems(self.clause)


def _rates(q: Phrasing) -> list[_Rate] | None:
    """Return the shares with their clauses; None where a figure is left that is not a share."""
    sentences, found = list(q.sentences()), list[_Rate]()
    figures, repeated = distinct(slots(q))
    q.use(*(one.at for one in repeated))
    for one in figures:
        if one.kind != "p" and not is_chance(q, q.plain[slice(*one.at)], one.at[0]):
            sentence = next(q.plain[a:b] for a, b in sentences if a <= one.at[0] < b)
            is_aside = (
                q.unit(q.plain[slice(*one.at)]).isupper() and "«p" not in sentence
            )  # "an order for £340 was stopped"
            if not is_aside and (q.in_digits(q.plain[slice(*one.at)]) or one.value > 4):
                return None
            continue
        before = re.sub(r"(?i)(\b(?:of|among|for|when|if|with) [^,;«]+),\s*$", r"\1 ", one.before)
        clause = f"{_SPLIT.split(before)[-1]}«»{_SPLIT.split(one.after)[0]}"
        place = next(at for at, (_, end) in enumerate(sentences) if one.at[0] < end)
        found.append(_Rate(one, clause, place))
    return found


def read_evidence(q: Phrasing, _held: Holdings) -> Reading:
    """Read a base rate and the two rates of a sign, or the shares and rates of sources, and the question about them."""
    if counted := _read_counts(q):
        return counted
    if odds := _odds(q):
        return odds
    rates = _rates(q)
    if not rates or len(rates) < 2 or any(re.search(WORDS["backwards"], one.clause, re.I) for one in rates):
        return None
    if sources := _sources(q, rates):
        return sources
    if len(rates) > 3 or not q.search_asking(_ASKS.pattern) or (q.has(WORDS["never"]) and not _repeats(q)):
        return None
    return _sign(q, rates)


def _read_counts(q: Phrasing) -> Reading:
    """Read counts that lie in each other: so many in all, so many of them so, and how many of either have the sign."""
    figures, _ = distinct([one for one in slots(q) if one.kind == "n" and one.value > 1 and not one.span])
    values = [one.value for one in figures]
    for at, whole in enumerate(values):
        for so, part in enumerate(values[:4]):
            rest = [one for one in range(len(values)) if values[one] == whole - part and one not in (at, so)]
            inside = [one for one in figures if one.value not in (whole, part, whole - part)]
            if part >= whole or not rest or len(inside) != 2 or not q.search_asking(_ASKS.pattern):
                continue
            hit, false = inside
            leads = [re.split(r"[.;]", q.plain[: one.at[0]])[-1] + one.after[:12] for one in inside]
            near = [re.search(r"(?i)\b(?:of|among|from)\b", one) for one in leads]
            if hit.value > part or false.value > whole - part or not all(near):
                continue
            rates = [
                _Rate(
                    replace(one, value=value, kind="p"),
                    _SPLIT.split(one.before)[-1] + "«»" + _SPLIT.split(one.after)[0],
                    0,
                )
                for one, value in (
                    (figures[so], part / whole),
                    (hit, hit.value / part),
                    (false, false.value / (whole - part)),
                )
            ]
            roles = dict(zip(_LACKS, rates, strict=True))
            asking = q.plain[slice(*q.asking(q.last()))]
            told = [*_free_clauses(q, rates), asking]
            if _DENIES.search(" ".join(told)) or _CLEAN.search(" ".join(told)):
                return None
            q.use((0, len(q.plain)))
            return _update(roles, is_absent=False, is_turned=False)
    return None


def _odds(q: Phrasing) -> Reading:
    """Read odds or a chance beforehand, and how many times as likely a sign is with one of two things."""
    times = q.matches(WORDS["times"])
    odds = q.search(WORDS["odds"])
    prior = q.value(odds["a"]) / (q.value(odds["a"]) + q.value(odds["b"])) if odds else 0.0
    shares = q.shares()
    if len(times) != 1 or not (odds or len(shares) == 1) or not q.search_asking(_ASKS.pattern):
        return None
    prior, factor = prior or q.value(shares[0]), times[0]
    used = {one for found in (odds, factor) if found for one in re.findall(ANY, found[0])} | set(shares)
    sentence = next(q.plain[a:b] for a, b in q.sentences() if a <= factor.start() < b)
    asked = stems(q.plain[slice(*q.asking(q.last()))]) | stems(
        q.plain[odds.start() : odds.start() + 90] if odds else ""
    )
    first, _, second = sentence[sentence.index(factor[0]) + len(factor[0]) :].partition(" as ")
    lead = sentence[: sentence.index(factor[0])]
    near = [
        len(asked & stems(text)) - 2 * bool(_REST.search(text))
        for text in (first if stems(first) & asked else lead, second)
    ]
    free = [
        text for text in _free_clauses(q, [_Rate(one, "", 0) for one in slots(q)[:1]]) if stems(text) & stems(sentence)
    ]
    if near[0] <= near[1] or not free or any(_DENIES.search(one) or re.search(WORDS["never"], one) for one in free):
        return None
    if any(one not in used and q.in_digits(one) for one in re.findall(ANY, q.plain)):
        return None
    q.use((0, len(q.plain)))
    ratio = q.value(factor["n"])
    sure = prior * ratio / (prior * ratio + 1 - prior)
    roles = {"so": prior, "not so": 1 - prior}
    problem = {"kind": "hypotheses", "prior": roles, "likelihood": {"so": 1.0, "not so": 1 / ratio}}
    echo = f"before {percent(prior)}; the sign is {figure(ratio)} times as likely where it is so"
    said = f"The probability is {percent(sure)}, from {percent(prior)} before the observation."
    return FilledForm("bayesian", problem, echo, lambda _: Upshot(said, sure, sure))


def _sign(q: Phrasing, rates: Sequence[_Rate]) -> Reading:
    """Read the roles of two or three rates by their words; the role that is open is what is missing."""
    asking = q.asking(q.last())
    asked, seen = stems(q.plain[slice(*asking)]), set[str]()
    asked = set() if _DENIES.search(q.plain[slice(*asking)]) else asked
    free = [text for text in _free_clauses(q, rates) if _DENIES.sub("", text).strip()]
    for text in free:
        seen |= stems(text)
    ways = list[tuple[float, dict[str, _Rate]]]()
    for names in permutations(("prior", "hit", "false"), len(rates)):
        way = dict(zip(names, rates, strict=True))
        ways.append((_weigh(way, asked, seen - asked, f"{' '.join(free)} {q.plain[slice(*asking)]}".lower()), way))
    ways.sort(key=lambda one: -one[0])
    if ways[0][0] < CLEAR or ways[0][0] - ways[1][0] < CLEAR - (0.5 if len(rates) < len(_LACKS) else 0):
        return None
    roles = ways[0][1]
    if lacking := [_LACKS[name] for name in _LACKS if name not in roles]:
        return MissingFields("bayesian", tuple(lacking)) if seen or q.has(WORDS["sign"]) else None
    signs = roles["hit"].words | roles["false"].words
    told = [text for text in free if stems(text) & (signs | asked) or re.search(WORDS["told"], text, re.I)]
    if (
        not told
        and not re.search(WORDS["sign"], q.plain[slice(*asking)], re.I)
        and not asked & (signs - roles["prior"].words)
    ):
        return None
    given = re.search(r"(?i)\b(?:given|if|when|after|although)\b[^?]*", q.plain[slice(*asking)])
    told += [given[0]] if given else []
    absent = {word for text in told for one in (_DENIES, _CLEAN) for word in one.findall(text.lower())}
    hit = roles["hit"].clause.lower()
    is_absent = bool(absent) and not absent & {*_DENIES.findall(hit), *_CLEAN.findall(hit)}
    _use(q, rates, told)
    turned = _is_turned(q.plain[slice(*asking)], roles)
    return _update(roles, is_absent=is_absent, is_turned=turned, repeats=_repeats(q) or 1)


def _free_clauses(q: Phrasing, rates: Sequence[_Rate]) -> Iterator[str]:
    """Yield the clauses without a figure that stand before the question or tell what it is asked of."""
    asking, first = q.asking(q.last())[0], rates[0].slot.at[0]
    for a, b in q.sentences():
        at = a
        for end in [*(mark.start() for mark in _SPLIT.finditer(q.plain, a, b)), b]:
            text = q.plain[at:end]
            if first < at < asking and not any(at <= one.slot.at[0] < end for one in rates):
                yield text.strip(" ,;:.-")
            at = end


def _repeats(q: Phrasing) -> int:
    """Return how often an independent sign was seen with the same result, 0 where that is not said."""
    both = q.search(WORDS["repeats"])
    if both is None or not q.has(r"\bindependent\w*|\bnothing to do with each other\b"):
        return 0
    return 3 if re.search(r"(?i)three|thrice", both[0]) else 2


def _weigh(way: Mapping[str, _Rate], asked: set[str], seen: set[str], told: str) -> float:
    """Return how well rates fit their roles, by words shared with the question and words for the rest."""
    prior, hit, false = (way.get(name) for name in ("prior", "hit", "false"))
    score, about = 0.0, asked | (prior.words if prior else set())
    told += prior.clause.lower() if prior else ""
    rest = {name: any(word.lower() not in told for word in _REST.findall(one.clause)) for name, one in way.items()}
    rest["prior"] = prior is not None and _REST.search(prior.clause) is not None
    if hit and false:
        score += 2.0 if abs(hit.sentence - false.sentence) <= 1 else -2.0
        score += 3.0 * (rest["false"] - rest["hit"])
        score += min(2, len(hit.words & about)) - min(2, len(false.words & about))
        score += 0.5 * (hit.slot.at < false.slot.at)
    elif hit:
        score += 1.0 + min(2, len(hit.words & about)) - 3.0 * rest["hit"]
    elif false:
        score += 3.0 * rest["false"] - min(2, len(false.words & asked))
    if prior:
        pairs = [one for one in (hit, false) if one]
        score += 2.0 * all(one.sentence != prior.sentence for one in pairs)
        score -= (
            2.0 * (len(prior.words & seen) > max(len(one.words & seen) for one in pairs))
            + 2.0 * bool(re.search(WORDS["sign"], prior.clause, re.I))
            + 2.0 * rest["prior"]
        )
        score += 2.0 * bool(re.search(WORDS["base"], prior.clause, re.I))
        score -= 1.0 * (prior.slot.at > pairs[0].slot.at and prior.slot.at < pairs[-1].slot.at)
    for one in (hit, false):
        score += 1.0 * bool(one and (one.words & seen or re.search(WORDS["sign"], one.clause, re.I)))
    return score


def _is_turned(asked: str, roles: Mapping[str, _Rate]) -> bool:
    """Return whether the contrary of what the base rate is of is asked for."""
    asked = re.sub(WORDS["given"], "", asked)
    prior = re.sub(r"(?i)\bshould(?:n['’]t| not)\b", "", roles["prior"].clause)
    denied = (_DENIES.search(asked) is None) != (_DENIES.search(prior) is None)
    group = {
        one
        for one in stems(roles["false"].clause)
        if one in {word for found in _REST.findall(roles["false"].clause) for word in stems(found)}
    }
    return (denied or bool(group & stems(asked))) and " or " not in asked


def _use(q: Phrasing, rates: Sequence[_Rate], told: Sequence[str]) -> None:
    """Mark the clauses of rates, what was observed and the question; a clause about anything else stays open."""
    for one in rates:
        start, end = next((a, b) for a, b in q.sentences() if a <= one.slot.at[0] < b)
        after = one.slot.at[1] + len(_SPLIT.split(one.slot.after)[0])
        q.use((max(start, one.slot.at[0] - len(one.slot.before)), min(end, after)))
    for text in told:
        at = q.plain.find(text)
        q.use((at, at + len(text)))
    for a, b in q.clauses():
        if len(stems(q.plain[a:b])) < 2 and not re.search(ANY, q.plain[a:b]):
            q.use((a, b))
    q.find(WORDS["apart"])
    q.use_asking(q.last())


def _update(roles: Mapping[str, _Rate], *, is_absent: bool, is_turned: bool, repeats: int = 1) -> FilledForm:
    """Return the form of an update on a sign or on its absence."""
    so, seen, unseen = (roles[name].slot.value for name in ("prior", "hit", "false"))
    seen = 1 - seen if re.search(WORDS["misses"], roles["hit"].clause, re.I) else seen
    clears = re.search(WORDS["clears"], roles["false"].clause, re.I) or (
        _CLEAN.search(roles["false"].clause) and not _CLEAN.search(roles["hit"].clause)
    )
    unseen = 1 - unseen if clears else unseen
    likelihood = {"so": 1 - seen, "not so": 1 - unseen} if is_absent else {"so": seen, "not so": unseen}
    likelihood = {name: value**repeats for name, value in likelihood.items()}
    problem = {"kind": "hypotheses", "prior": {"so": so, "not so": 1 - so}, "likelihood": likelihood}

    def conclude(result: MethodResult[Any]) -> Upshot:
        sure = dict(result.claims[0].distribution)["so"]
        sure, before = (1 - sure, 1 - so) if is_turned else (sure, so)
        odds = "less" if sure < 0.5 else "more"
        moved = f"{percent(sure)}, from {percent(before)} before the observation"
        return Upshot(f"The probability is {moved}: {odds} likely than not.", sure, sure)

    sign = f"the sign was {'not ' if is_absent else ''}seen{f' {repeats} times, independently' if repeats > 1 else ''}"
    rates = f"the sign comes in {percent(seen)} where it is so and in {percent(unseen)} where not"
    echo = f"before {percent(so)}; {rates}; {sign}"
    return FilledForm("bayesian", problem, echo, conclude)


def _sources(q: Phrasing, rates: Sequence[_Rate]) -> Reading:
    """Read several sources, each with its share of the whole and its rate: which one something came from."""
    values = [one.slot.value for one in rates]
    pairs = [(values[::2], values[1::2], rates[::2]), (values[: len(rates) // 2], values[len(rates) // 2 :], rates)]
    for shares, rest, own in pairs:
        chances, whole = list(rest), abs(sum(shares) - 1) < 1e-6
        if len(shares) != len(rest) or len(shares) < 2 or not whole or abs(sum(rest) - 1) < 1e-6:
            continue
        names = [_source_name(one) for one in own[: len(shares)]]
        if not all(names) or len(set(names)) < len(names) or not q.has(WORDS["asks"] + WORDS["asks_source"]):
            return None
        if own is rates:  # the rates may come in another order than the shares
            named = [
                [name for name in names if stems(name) <= rates[len(shares) + at].words] for at in range(len(shares))
            ]
            if all(len(one) == 1 for one in named):
                chances = [chances[named.index([name])] for name in names if [name] in named]
        if len(chances) == len(names):
            return _most_likely(q, rates, dict(zip(names, shares, strict=True)), dict(zip(names, chances, strict=True)))
    return None


def _source_name(rate: _Rate) -> str:
    """Return the name of a source before its share ("the old press turns out 30%") or behind it ("30% from Huber")."""
    lead, _, tail = rate.clause.partition("«»")
    behind = re.search(r"\b(?:from|by|to|at) (?:the |our )?(?P<name>[\w’']+(?: (?!and\b|but\b|with\b)\w+){0,2})", tail)
    bare = re.sub(WORDS["makes"], "", lead.strip(" .,:"), flags=re.IGNORECASE).strip()
    bare = re.sub(r"(?i)^(?:and|but|while|the|our|a|an)\s+", "", bare.split(": ")[-1]).strip(" ,.")
    return bare if 0 < len(bare.split()) <= 4 else behind["name"] if behind else ""


def _most_likely(
    q: Phrasing, rates: Sequence[_Rate], prior: Mapping[str, float], likelihood: Mapping[str, float]
) -> Reading:
    asked = stems(q.plain[slice(*q.asking(q.last()))])
    common = set.intersection(*(stems(name) for name in prior))
    named = [name for name in prior if (stems(name) - common) & asked]
    if any(_DENIES.search(text) for text in (*_free_clauses(q, rates), q.question)):
        likelihood = {name: 1 - chance for name, chance in likelihood.items()}
    if any(_DENIES.search(one.clause) for one in rates):
        return None
    _use(q, rates, [text for text in _free_clauses(q, rates) if not re.search(r"\b(?:if|unless|except|only)\b", text)])
    q.counted(len(prior))

    def conclude(result: MethodResult[Any]) -> Upshot:
        shares = dict(result.claims[0].distribution)
        ranked = sorted(shares, key=lambda one: -shares[one])
        if len(named) == 1:
            return Upshot(
                f"{named[0]} with probability {percent(shares[named[0]])}.", shares[named[0]], shares[named[0]]
            )
        others = join_items(f"{name} {percent(shares[name])}" for name in ranked[1:])
        best = ranked[0]
        return Upshot(f"Most likely {best}, with probability {percent(shares[best])} ({others}).", best, shares[best])

    shown = join_items(
        f"{name} has {percent(p)} and a rate of {percent(likelihood[name])}" for name, p in prior.items()
    )
    return FilledForm(
        "bayesian", {"kind": "hypotheses", "prior": dict(prior), "likelihood": dict(likelihood)}, shown, conclude
    )
