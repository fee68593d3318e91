"""Rules and permissions: acts that someone may, must or must not do."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, Phrasing, figure, join_items, stem, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["rules"]

_MODAL: str = WORDS["modal"]
_FORBIDS = re.compile(r"not|n['’]t|forbid|prohibit", re.IGNORECASE)
_DEMANDS = re.compile(r"must$|(?:have|has|need|needs) to|required", re.IGNORECASE)
_NORM = re.compile(rf"^(?P<who>[^.,;]*?) {_MODAL} (?P<act>[^.,;]+)(?P<rest>[,;][^.]*)?\.?$", re.IGNORECASE)
_IMPERSONAL = re.compile(WORDS["impersonal"])
_ASKS = re.compile(WORDS["asks"], re.IGNORECASE)
_HOW_MANY = re.compile(WORDS["how_many"])
_PRONOUN = re.compile(r"^(?:he|she|they|it|i|we)$", re.IGNORECASE)
_FACT_ROLE = re.compile(WORDS["fact_role"])
_NOBODY = re.compile(r"^(?:nobody|no one|no (?:\w+))$", re.IGNORECASE)
_EVERYBODY = re.compile(r"^(?:everybody|everyone|anybody|anyone|all|people|you|we|one)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _HouseRule:
    """A rule of a question: who may, must or must not do what, up to which limit, and where."""

    modality: str
    role: str
    act: str
    limit: float | None = None
    beyond: bool = False
    lacks: str = ""
    place: str = ""
    text: str = ""


def read_rules(q: Phrasing, _held: Holdings) -> Reading:
    """Read permissions, duties and prohibitions, the facts about a person, and the act in question."""
    sentences = [(a, b, q.plain[a:b].strip()) for a, b in q.sentences()]
    if len(sentences) < 2:
        return None
    asked_at = sentences[-1]
    many, asked = _HOW_MANY.match(asked_at[2]), _ASKS.match(asked_at[2])
    if many is None and asked is None:
        return None
    rules, facts, roles = list[_HouseRule](), list[tuple[str, bool]](), dict[str, set[str]]()
    subject = ""
    for a, b, text in sentences[:-1]:
        rule = _rule(q, text)
        if rule is not None:
            rules.append(rule)
            q.use(
                (
                    a,
                    a
                    + q.plain[a:b].index(text)
                    + len(
                        text.partition(",")[0]
                        if re.search(r",\s*(?:except|unless|but|provided|only|if)\b", text, re.I)
                        else text
                    ),
                )
            )
            continue
        name = _facts(text, facts, roles)
        if name:
            subject = name
            q.use_outside((a, b))
    if not rules:
        return None
    who = (many or asked)["who"].strip()  # type: ignore[index]
    if _PRONOUN.match(who):
        who = subject or who
    q.use(asked_at[:2])
    if many is not None:
        return _quota(many, rules, roles.get(who, set()), who)
    return _judge_act(q, asked, rules, facts, roles=roles.get(who, set()), who=who) if asked is not None else None


def _rule(q: Phrasing, text: str) -> _HouseRule | None:
    """Return the rule that a sentence states, or None."""
    if found := _IMPERSONAL.match(text):
        place = (found["place"] or found["where"] or "").strip()
        modality = "permitted" if found["modal"].lower() in ("allowed", "permitted") else "forbidden"
        limit = re.search(rf"\bwithin ({NUMBER})", place)
        return _HouseRule(
            modality,
            "",
            found["act"],
            q.value(limit[1]) if limit else None,
            place="" if limit else place,
            text=q.written(text),
        )
    found = _NORM.match(text)
    if found is None or text.endswith("?"):
        return None
    who, modal, act = found["who"].strip(), found["modal"].lower(), found["act"]
    forbids = bool(_FORBIDS.search(modal))
    if _NOBODY.match(who):
        forbids, who = not forbids, ""
    modality = "forbidden" if forbids else "obligatory" if _DEMANDS.search(modal) else "permitted"
    lacks = ""
    if without := re.search(r"\s+without (?:an? |the |any )?(?P<what>[\w ]+)$", act, re.I):
        lacks, act = without["what"], act[: without.start()]
    act = re.sub(r"\s+(?:before|after|when|while) (?:they|it|he|she|you|we)\b.*$", "", act, flags=re.I)
    limit = re.search(
        r"\s*(?:worth |of |for |costing )?(?P<how>up to|at most|more than|over|above|within|"
        rf"no more than)\s?(?P<n>{NUMBER})[^.]*$|\s(?P<m>{NUMBER})(?= \w)",
        act,
        re.I,
    )
    if re.search(r"\b(?:a|per|each|every) (?:day|week|month|quarter|year)\b|\bin total\b|\baltogether\b", text, re.I):
        return None
    beyond = bool(limit and limit["how"] and limit["how"].lower() in ("more than", "over", "above"))
    value = q.value(limit["n"] or limit["m"]) if limit else None
    if limit:
        act = act[: limit.start()] + (act[limit.end() :] if limit["m"] else "")
    role = (
        ""
        if _EVERYBODY.match(who) and " who " not in who
        else re.sub(r"^(?:all|every|each|our|the|everybody|everyone|anyone|people) (?:who )?", "", who, flags=re.I)
    )
    return _HouseRule(modality, role, act.strip(), value, beyond, lacks, text=q.written(text))


def _facts(text: str, facts: list[tuple[str, bool]], roles: dict[str, set[str]]) -> str:
    """Note the facts about a person in a sentence; return the name, or an empty text without one."""
    bare = text.rstrip(".")
    name = next(iter(re.findall(r"\b[A-Z][a-z]+\b", re.sub(r"^(?:A|An|The|Our)\b", "", bare))), "")
    if not name:
        return ""
    held = roles.setdefault(name, set())
    if aside := re.search(rf"\b{name}, (?:an?|our) (?P<role>[\w ]+),", bare):
        held.add(aside["role"])
    if found := _FACT_ROLE.match(bare):
        if found["not"]:
            held.add(f"not {found['role']}")
        else:
            held.add(found["role"])
        if found["more"]:
            facts.append((found["more"], not re.search(r"\bnot\b|n['’]t\b|\bno\b", found["more"])))
    elif "," not in bare or aside:
        facts.append(
            (
                re.sub(rf"^{name}\s+|\b(?:has|have) (?:no|not)\b|\bnot\b", "", bare),
                not re.search(r"\bnot\b|n['’]t\b|\bno\b|\bnever\b", bare),
            )
        )
    return name


def _applies(rule: _HouseRule, roles: set[str], facts: Sequence[tuple[str, bool]]) -> bool | None:
    """Return whether a rule is for a person of these roles; None where that is not said."""
    if not rule.role:
        return True
    wanted = stems(rule.role)
    for role in roles:
        if wanted <= stems(role):
            return not role.startswith("not ")
    for text, holds in facts:
        if wanted and wanted <= stems(text):
            return holds
    return None


def _quota(asked: re.Match[str], rules: Sequence[_HouseRule], roles: set[str], who: str) -> Reading:
    """Read how many of something a person may have: the number in the rule for that person's role."""
    wanted = stems(f"{asked['verb']} {asked['what']}")
    fitting = [
        one
        for one in rules
        if one.limit is not None and wanted <= stems(f"{one.act} {one.text}") and _applies(one, roles, ())
    ]
    if len(fitting) != 1:
        return MissingFields("deontic", (f"which rule is for {who}",)) if not fitting else None
    rule = fitting[0]
    number = figure(rule.limit or 0.0)

    def conclude(result: MethodResult[Any]) -> Upshot:
        return (
            Upshot(
                f"{who} {asked['modal'].lower()} {asked['verb']} {number} {asked['what']}.",
                number,
                1.0,
                "another rule, or another role of that person.",
            )
            if result.answer.holds
            else Upshot("", changes="the rule is not in force")
        )

    act = [f"{asked['verb']} {number} {asked['what']}", who]
    norms = [
        {
            "id": f"rule {place}",
            "modality": one.modality,
            "act": [f"{asked['verb']} {figure(one.limit or 0)} {asked['what']}", "?who"],
            "if": [[one.role or "anyone", "?who"]],
        }
        for place, one in enumerate(rules, 1)
    ]
    problem = {
        "kind": "norms",
        "norms": norms,
        "facts": [[rule.role or "anyone", who]],
        "goal": {"modality": "permitted", "act": act},
    }
    return FilledForm("deontic", problem, f"{rule.text}; {who} is {join_items(sorted(roles)) or 'anyone'}", conclude)


def _judge_act(  # noqa: PLR0911  # one return for each thing that is open
    q: Phrasing,
    asked: re.Match[str],
    rules: Sequence[_HouseRule],
    facts: Sequence[tuple[str, bool]],
    *,
    roles: set[str],
    who: str,
) -> Reading:
    """Read whether an act is allowed, demanded or forbidden by the rules that are for it."""
    demands = asked["modal"].lower() in ("must",) or "have to" in asked[0].lower() or "need to" in asked[0].lower()
    if (
        not demands
        and not re.match(r"may|can", asked["modal"], re.I)
        and not re.search(r"allowed|permitted", asked[0], re.I)
    ):
        return None
    act = asked["act"]
    if re.search(r"\b(?:if|when|unless|without|before|after|while|although|except|because|during)\b|,", act, re.I):
        return None
    number = re.search(NUMBER, act) or next((found for text, _ in facts if (found := re.search(NUMBER, text))), None)
    if number is not None:
        q.use((at := q.plain.index(number[0]), at + len(number[0])))
    fitting = _fitting(rules, act, facts)
    if not fitting:
        return None
    if len(fitting) < len(rules) and not all(one.place or one in fitting or one.role for one in rules):
        return None
    norms, open_ = _applying(q, fitting, facts, number, roles=roles, who=who, act=act)
    if open_:
        return MissingFields("deontic", tuple(dict.fromkeys(open_)))
    if not norms:
        return _no_rule(q, who, act, fitting)
    goal = "obligatory" if demands else "permitted"
    wanted = {"modality": goal, "act": ["act", who]}
    problem = {"kind": "norms", "norms": norms, "facts": [["asked", who]], "goal": wanted}
    spoken = q.written(act)

    def conclude(result: MethodResult[Any]) -> Upshot:
        answer = result.answer
        if answer.holds is None or answer.conflicting:
            conflict = f"the rules conflict: {join_items(answer.conflicting)}"
            return Upshot("", changes=conflict if answer.conflicting else "no rule that was given speaks of this case")
        says = "Yes" if answer.holds else "No"
        word = ("must" if demands else "may") if answer.holds else ("need not" if demands else "may not")
        because = fitting[0].text if len(fitting) == 1 else join_items(f"“{one.text}”" for one in fitting)
        rests = f"another rule, or another statement about {who}; it rests on “{because.strip('“”')}”."
        return Upshot(f"{says}: {who} {word} {spoken}.", says, 1.0, rests)

    shown = "; ".join(one.text for one in fitting)
    about = join_items([*sorted(roles), *(f"{'' if holds else 'not: '}{q.written(text)}" for text, holds in facts)])
    return FilledForm(
        "deontic",
        problem,
        f"{shown}. Of {who}: {about or 'nothing else'}; asked: {spoken}",
        conclude,
        assumes="a limit forbids what is beyond it" if any(one.limit is not None for one in fitting) else "",
    )


def _fitting(rules: Sequence[_HouseRule], act: str, facts: Sequence[tuple[str, bool]]) -> list[_HouseRule]:
    """Return the rules that speak of an act; "may she do that" speaks of the facts as well."""
    words = stems(act)
    points_back = re.search(r"\b(?:it|that|this|so|them)\s*$", act, re.I) is not None
    said = words.union(*(stems(text) for text, _ in facts)) if points_back else words
    verbs = {stem(one) for one in re.findall(r"\w+", act)} | words
    return [
        one
        for one in rules
        if ((verb := stem(one.act.split()[0])) in verbs and (points_back or stems(one.act) <= said | {verb}))
        or (stems(one.act) and stems(one.act) <= said)
    ]


def _applying(
    q: Phrasing,
    rules: Sequence[_HouseRule],
    facts: Sequence[tuple[str, bool]],
    number: re.Match[str] | None,
    *,
    roles: set[str],
    who: str,
    act: str,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the norms that apply to the case at hand, and the open points about others."""
    open_, norms = list[str](), list[dict[str, Any]]()
    places = [one.place for one in rules if one.place]
    for place, one in enumerate(rules, 1):
        applies = _applies(one, roles, facts)
        if applies is None:
            open_.append(f"whether {who} is one of “{one.role}”")
            continue
        elsewhere = bool(one.place) and not stems(one.place) & stems(act)
        if not applies or (elsewhere and stems(one.place) and len(places) < 2):
            if elsewhere:
                open_.append(f"whether this is {one.place}")
            continue
        norms += list(_norms(q, one, place, number, facts=facts, who=who, act=act, open_=open_))
    return norms, open_


def _norms(
    q: Phrasing,
    rule: _HouseRule,
    place: int,
    number: re.Match[str] | None,
    *,
    facts: Sequence[tuple[str, bool]],
    who: str,
    act: str,
    open_: list[str],
) -> Iterator[dict[str, Any]]:
    """Yield the norms of a rule for the case at hand: a limit makes two of one, a more particular place goes first."""
    priority = 1 if rule.place and stems(rule.place) & stems(act) else 0
    whole: dict[str, Any] = {"id": f"rule {place}", "act": ["act", who], "if": [["asked", who]], "priority": priority}
    if rule.lacks:
        having = [holds for text, holds in facts if stems(rule.lacks) <= stems(text)]
        if not having:
            open_.append(f"whether {who} has {rule.lacks}")
        elif not having[0]:
            yield {**whole, "modality": rule.modality}
        return
    if rule.limit is None:
        yield {**whole, "modality": rule.modality}
        return
    if number is None:
        open_.append("the amount")
        return
    is_beyond = q.value(number[0]) > rule.limit
    if rule.beyond:
        yield {
            **whole,
            "modality": rule.modality if is_beyond else "permitted" if rule.modality == "forbidden" else "forbidden",
        }
    else:
        yield {**whole, "modality": rule.modality if not is_beyond else "forbidden"}


def _no_rule(q: Phrasing, who: str, act: str, rules: Sequence[_HouseRule]) -> Reading:
    """Return the form of a case to which no rule applies: it says that nothing forbids and nothing allows it."""
    problem = {
        "kind": "norms",
        "norms": [
            {"id": "other case", "modality": rules[0].modality, "act": ["act", who], "if": [["other case", who]]}
        ],
        "facts": [["asked", who]],
        "goal": {"modality": "forbidden", "act": ["act", who]},
    }

    def conclude(_result: MethodResult[Any]) -> Upshot:
        sentence = f"Nothing said here forbids {who} to {q.written(act)}, and no rule here demands it."
        return Upshot(sentence, "nothing", 1.0, "another rule.")

    return FilledForm("deontic", problem, f"{join_items(one.text for one in rules)}; it is not for this case", conclude)
