"""A business described in its owner's words, read into a pack: prose, a YAML form, or interview answers.

read = read_description("Smile is a dental clinic. The no-show rate should be below 6 %.", name="Smile")
read.pack.id                           # 'clinic'
read.parts[1].words                    # 'The no-show rate should be below 6 %'

Rules read everything they safely can. Each value keeps its source words; unread text is listed, and missing values are
requested. Besides these, a pack gets only the measures of the line of business; targets and goals only if the line is
the owner's own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from mabos.configs.errors import InvalidArgument
from mabos.configs.yaml_file import load_yaml, read_yaml
from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.language.sentences import split
from mabos.language.wordlists import word_lists
from mabos.society.describing_figures import DescribedFigure, figures_in, is_of_time, names_of
from mabos.society.describing_people import lists_in, nouns_in, people_in
from mabos.society.describing_words import patterns_of, words_of
from mabos.society.figures import BusinessFigure, owner_among
from mabos.society.pricing import Interval
from mabos.society.roles import ROLES
from mabos.society.templates import BusinessTemplate, TemplateGoal, is_own, template_named, templates
from mabos.workspace.text import one_line, slug, terms

_PATTERNS = patterns_of("sentences")
INTERVIEW_FILE = Path(__file__).parents[1] / "configs" / "interview.yaml"
LONGEST = 20_000
"""Characters of a description that are read."""
_YEAR = 365
_SPENDING = words_of("spending")
_NARROWEST = 60  # characters of a line that an editor wraps


@dataclass(frozen=True, slots=True)
class InterviewQuestion:
    """A question of the interview: its key in a file of answers, and the heading words about it."""

    key: str
    ask: str
    figure: str = ""
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DescribedPart:
    """A part that was read: its kind, its value, and its source words."""

    what: str
    value: str
    words: str


@dataclass(frozen=True, slots=True)
class DescribedBusiness:
    """A parsed description: the pack, every part with its words, the unread text, and open questions.

    `values` are current figures and those of times that the owner names, with units; `prices` are sums by product.
    """

    pack: BusinessTemplate
    parts: tuple[DescribedPart, ...] = ()
    unread: tuple[str, ...] = ()
    questions: tuple[InterviewQuestion, ...] = ()
    values: tuple[DescribedFigure, ...] = ()
    prices: Mapping[str, SpokenAmount] = field(default_factory=dict)


@dataclass(slots=True)
class _Found:
    """The parts read so far, by key of the interview."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    people: dict[str, list[str]] = field(default_factory=dict)
    figures: dict[str, DescribedFigure] = field(default_factory=dict)
    values: dict[tuple[str, str], DescribedFigure] = field(default_factory=dict)
    """By name, and by the time of the value."""
    parts: list[DescribedPart] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    prices: dict[str, SpokenAmount] = field(default_factory=dict)
    goals: list[TemplateGoal] = field(default_factory=list)
    last: str = ""
    """The sentence before, where no target was read in it."""

    def add(self, key: str, value: str, words: str) -> None:
        self.texts.setdefault(key, []).append(value)
        self.parts.append(DescribedPart(key, value, words))


@cache
def interview() -> tuple[InterviewQuestion, ...]:
    """Return the questions of the interview in order."""
    raw = read_yaml(INTERVIEW_FILE)["questions"]
    return tuple(InterviewQuestion(**{**one, "headings": tuple(one.get("headings", ()))}) for one in raw)


def read_description(
    said: str | Mapping[str, Any], *, name: str = "", root: Path | None = None, line: str = ""
) -> DescribedBusiness:
    """Read a description: prose, a pack in YAML, or interview answers by key.

    `line` names the base pack; otherwise the description's words decide.

    Raises `InvalidArgument` with the key of an unreadable form.
    """
    form = said if isinstance(said, Mapping) else _form(said)
    text = "\n".join(_texts(form)) if form is not None else str(said)
    if not text.strip():
        raise InvalidArgument("the description is empty; say what the business does", argument="describe")
    base = template_named(line, root) if line else _line_of(form, text, root)
    found = _Found()
    if form is None:
        _read_prose(found, text[:LONGEST], name, base)
    else:
        _read_form(found, form, name, base)
    return _build_pack(found, base, form, _currency(text), is_own=is_own(base.id, root))


def read_remark(text: str, base: BusinessTemplate, *, name: str = "") -> DescribedBusiness:
    """Read sentences about an existing business, of the line `base`."""
    found = _Found()
    for sentence in split(text):
        _read_sentence(found, sentence, name, base)
    return _build_pack(found, base, None, _currency(text))


def _currency(text: str) -> str:
    """Return the currency in which a description speaks of money, or an empty text where it names none."""
    named = [one.unit for one in amounts_in(text) if one.kind == "money"]
    return max(named, key=named.count) if named else ""


def is_prose(text: str) -> bool:
    """Return whether a description is prose rather than a YAML form."""
    return _form(text) is None


def _form(text: str) -> Mapping[str, Any] | None:
    """Return the mapping that a text holds as YAML with keys of a form, or None for prose."""
    try:
        content = load_yaml(text)
    except yaml.YAMLError:
        return None
    keys = {one.key for one in interview()} | set(BusinessTemplate.model_fields) | {"template"}
    is_form = isinstance(content, dict) and content and set(map(str, content)) <= keys
    return {str(key): value for key, value in content.items()} if is_form else None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif value is not None:
        yield str(value)


def _line_of(form: Mapping[str, Any] | None, text: str, root: Path | None) -> BusinessTemplate:
    """Return the pack of the line that a description is about: the one it names, else by most of its words."""
    if form is not None and (named := form.get("template") or form.get("id")):
        try:
            return template_named(str(named), root)
        except InvalidArgument:
            pass  # a form may give a line of its own
    flat = f" {' '.join(terms(text))} "
    scores = {
        one: sum(f" {' '.join(terms(word))} " in flat for word in template_named(one, root).words)
        for one in templates(root)
    }
    best = max(scores, key=lambda one: (scores[one], one))
    return template_named(best if scores[best] >= 3 or _is_said(flat, best, root) else "general", root)


def _is_said(flat: str, template_id: str, root: Path | None) -> bool:
    """Return whether the text says of the business that it is of a line: `is a bakery`."""
    words = (" ".join(terms(word)) for word in template_named(template_id, root).words)
    return any(
        re.search(rf"\b(?:is|are|run|runs|own|owns) (?:an?|the|our)(?: \w+){{0,2}} {word} ", flat) for word in words
    )


def _read_prose(found: _Found, text: str, name: str, base: BusinessTemplate) -> None:
    section, is_after_gap = "", False
    for line in join_wrapped_lines(text):
        bare = line.strip()
        if not bare:
            is_after_gap = True
            continue
        if is_after_gap and not _PATTERNS["bullet"].match(line) and bare.endswith("."):
            section = ""  # a paragraph of prose ends the list under a heading
        is_after_gap = False
        heading = _PATTERNS["heading"].match(line)
        if heading and not _PATTERNS["bullet"].match(line) and not bare.endswith((".", "!", "?")):
            section = _section(heading["title"])
            if section or bare.startswith("#"):
                continue
        inline = _PATTERNS["inline"].match(_PATTERNS["bullet"].sub("", line))
        if inline and (key := _section(inline["title"])):
            _read_answer(found, key, inline["rest"], name, base)
            continue
        if not _PATTERNS["bullet"].match(line) and bare.endswith(".") and section not in _LISTED_SECTIONS:
            section = section if line.startswith((" ", "\t")) else ""
        for sentence in split(_PATTERNS["bullet"].sub("", line)):
            if section and section != "line":
                _read_answer(found, section, sentence, name, base)
            else:
                _read_sentence(found, sentence, name, base)
    if "line" not in found.texts and found.unread and re.match(r"(?:we|i|our)\b", found.unread[0], re.IGNORECASE):
        line = found.unread.pop(0)
        found.add("line", line, line)


_LISTED_SECTIONS = ("people", "figures", "rules", "duties")


def join_wrapped_lines(text: str) -> list[str]:
    """Return the lines of a text, with those wrapped by an editor joined."""
    given = text.splitlines()
    width = max(len(line) for line in given)
    lines, last = list[str](), ""
    for line in given:
        bare = line.strip()
        is_start = (
            not bare
            or _PATTERNS["bullet"].match(line)
            or bare.startswith("#")
            or last.endswith((".", "!", "?", ":", ";"))
        )
        is_full = width >= _NARROWEST and len(last) + 1 + len(bare.split(" ")[0]) > width
        is_open = is_full or _PATTERNS["open"].search(last) or ". " in last  # a sentence ended in it, another goes on
        if last and not is_start and not last.startswith("#") and (bare[0].islower() or is_open):
            lines[-1] += f" {bare}"
        else:
            lines.append(line)
        last = line.rstrip()
    return lines


def _section(title: str) -> str:
    said = title.strip().lower()
    return next((one.key for one in interview() if said == one.key or said in one.headings), "")


def _read_form(found: _Found, form: Mapping[str, Any], name: str, base: BusinessTemplate) -> None:
    for key, value in form.items():
        if key in ("template", "id"):
            continue
        if key == "people" and isinstance(value, list):
            for one in value:
                said = (
                    f"{one['name']}: {one.get('duty', '')}" if isinstance(one, Mapping) and "name" in one else str(one)
                )
                _read_answer(found, key, said, name, base)
        elif key == "figures" and isinstance(value, list):
            for one in value:
                _add_form_figure(found, one, name, base)
        elif key == "goals" and _are_goals(value):
            for one in value:
                found.add(key, one["text"], yaml.safe_dump(dict(one)).strip())
        elif key in {one.key for one in interview()} and not isinstance(value, Mapping):
            for one in value if isinstance(value, list | tuple) else [value]:
                _read_answer(found, key, str(one), name, base)


def _are_goals(value: Any) -> bool:
    """Return whether a part of a form has goals as a pack has them."""
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(one, Mapping) and {"text", "target"} <= one.keys() for one in value)


def _add_form_figure(found: _Found, value: Any, name: str, base: BusinessTemplate) -> None:
    if not isinstance(value, Mapping):
        _read_answer(found, "figures", str(value), name, base)
        return
    try:
        read = BusinessFigure.model_validate(dict(value))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "figures"
        raise InvalidArgument(f"figures: {where}: {first['msg']}", argument="describe") from None
    target = DescribedFigure(read.name, read.target, unit=read.unit, words=str(dict(value)), figure=read)
    found.figures[read.name] = target
    found.parts.append(
        DescribedPart("figure", f"{read.name} {read.target}".strip(), yaml.safe_dump(dict(value)).strip())
    )


def _read_answer(found: _Found, key: str, answer: str, name: str, base: BusinessTemplate) -> None:
    """Read the text under a heading, or the answer to a question of the interview."""
    said = one_line(answer).strip()
    if not said or said.lower() in ("none", "nothing", "no", "-", "skip"):
        return
    question = next((one for one in interview() if one.key == key), None)
    parts = re.split(r"\s*;\s*", said)
    if question is not None and question.figure:
        if not _add_figures(found, f"{question.figure.replace('_', ' ')}: {said}", base):
            found.unread.append(answer)
    elif key == "figures":
        found.unread += [one for one in parts if not _add_figures(found, one, base, is_listed=True)]
    elif key == "people":
        for one in parts:
            _add_people(found, one, name, is_listed=True)
    elif key in ("products", "revenue_streams"):
        for one in lists_in(said):
            money = next((sum_ for sum_ in amounts_in(one) if sum_.kind == "money" and sum_.end == len(one)), None)
            name = one[: money.start].strip(" :,-–—") if money else one
            found.prices |= {name: money} if money and money.per in INTERVALS and money.meaning == "exactly" else {}
            found.add(key, name, said)
    elif key == "line":
        _read_line(found, said, name, base)
    else:
        if key == "goals":
            _add_figures(found, said, base)
        for one in split(said) if key in ("rules", "duties") else [said]:
            found.add("rules" if key == "spending" else key, _FORMS.get(key, str)(one), one)


def _read_line(found: _Found, said: str, name: str, base: BusinessTemplate) -> None:
    for sentence in split(said):
        _read_sentence(found, sentence, name, base)
    if "line" not in found.texts:
        found.add("line", said, said)
        found.unread = [one for one in found.unread if one not in said]


def _read_sentence(found: _Found, sentence: str, name: str, base: BusinessTemplate) -> None:
    """Read a sentence of prose: as a rule, a duty, or else for figures, people, products, and the line."""
    said = one_line(sentence).strip()
    first, *more = _PATTERNS["and_order"].split(said)
    if more and any(_PATTERNS[one].search(first) for one in ("rule", "rhythm")):
        for part in (f"{first.rstrip(' ,.')}.", *(f"{one[:1].upper()}{one[1:]}" for one in more)):
            is_duty = part != f"{first.rstrip(' ,.')}." and not _PATTERNS["rule"].search(part)
            (found.add("duties", part, said) if is_duty else _read_sentence(found, part, name, base))
        return
    priced = _priced_in(said, is_next=bool(found.parts) and found.parts[-1].value in found.prices)
    rule = _PATTERNS["rule"].search(said)
    is_limit = rule and _PATTERNS["asked_first"].search(said)  # a sum above which to ask is no target
    before, found.last = found.last, said
    is_more = bool(before) and bool(_PATTERNS["said_of"].match(said))  # "The yield is 402. It ought to be 410."
    figures = () if is_limit else _add_figures(found, f"{before} {said}" if is_more else said, base)
    if any(one.target for one in figures):
        found.last = ""
        found.unread = [one for one in found.unread if not is_more or one != before]
    if rule and (not rule.start() or not any(one.target for one in figures)):
        found.add("rules", _rule(said), said)
    elif goal := _goal_in(found, said):
        found.goals.append(goal)
        found.add("goals", f"{goal.text} ({goal.target})", said)
    elif not figures and not priced and _PATTERNS["rhythm"].search(said) and not _PATTERNS["habit"].match(said):
        found.add("duties", _duty(said), said)
    elif not figures and _PATTERNS["worried"].match(said):
        found.add("worries", said, said)
    else:
        _read_statement(found, said, name, base, figures=figures, priced=priced)


def _read_statement(
    found: _Found,
    said: str,
    name: str,
    base: BusinessTemplate,
    *,
    figures: Sequence[DescribedFigure],
    priced: Mapping[str, SpokenAmount | None],
) -> None:
    """Read a sentence with these figures and prices for people, products, buyers and the line; list what is left."""
    count = len(found.parts) - len(figures)
    is_named = bool(name) and said.lower().startswith(f"{name.lower()} ")
    if "line" not in found.texts and (is_named or _PATTERNS["line"].search(said) or _has_line_word(said, base)):
        found.add("line", said, said)
    _add_people(found, said, name)
    found.prices |= (prices := {name: one for name, one in priced.items() if one is not None})
    for one in priced:
        found.add("products", one, said)
    for key, pattern in patterns_of("lists").items():
        listed = pattern.search(said.replace(name, "we", 1) if is_named else said)
        if listed and not listed["list"].startswith(("to ", "for ")):
            offered, _, buyers = _PATTERNS["other_clause"].split(listed["list"])[0].partition(" for ")
            things = re.split(r" (?:and )?(?:in|on|outside|from|near|by|at|to) (?!the house)", offered)[0]
            for one in nouns_in(things) if not priced else ():
                found.add(key, one, said)
            for one in nouns_in(buyers) if key == "products" else ():
                found.add("customers", one, said)
    if len(found.parts) == count:
        found.unread.append(said)
        return
    bounds = [float(number) for one in figures for number in re.findall(r"\d+(?:\.\d+)?", one.target)]
    known = [*bounds, *(one.value for one in figures), *(one.value for one in prices.values())]
    rest = [one for one in amounts_in(said) if one.value not in known and not is_of_time(said, one)]
    left = [one.words for one in rest if re.search(r"\d", one.words)]
    found.unread.extend(f"{words} (in: {said})" for words in left)


def _goal_in(found: _Found, said: str) -> TemplateGoal | None:
    """Return the goal for a figure that the text gave a value: "My goal is 700 members" is more than there are."""
    goal = _PATTERNS["goal"].match(said)
    name, number = (slug(goal["what"], "_"), float(goal["number"].replace(",", ""))) if goal else ("", 0.0)
    known = next((one for one in found.values.values() if one.name == name and one.value != number), None)
    if goal is None or known is None:
        return None
    target = f"{name} {'>=' if number > known.value else '<='} {number:g}"
    return TemplateGoal(text=f"Reach {goal['number']} {goal['what']}", owner="ceo", target=target, horizon_days=_YEAR)


def _priced_in(said: str, *, is_next: bool = False) -> dict[str, SpokenAmount | None]:
    """Return each product that a sentence prices with its sum, which is None where it costs about that, or more.

    After a sentence with a price, `is_next`, another needs no article: "Pony camp is £90".

    >>> list(_priced_in("A tuning costs £85, and a full service starts at £900."))
    ['tuning', 'full service']
    """
    if _PATTERNS["later"].search(said):
        return {}  # the price of another day is not the price of today
    found = [*_PATTERNS["priced"].finditer(said)] if _PATTERNS["prices"].match(said) else []
    for one in _PATTERNS["offered"].finditer(said):
        found += [one, *_PATTERNS["priced"].finditer(said, one.end())]
    found += _PATTERNS["paid"].finditer(said)
    found += [*_PATTERNS["priced_next"].finditer(said)] if is_next and not found else []
    every = amounts_in(said)
    sums = [
        (one, amount)
        for one in found
        for amount in every
        if amount.start < one.end() <= amount.end or one.start() <= amount.start < amount.end <= one.start("name")
    ]
    return {
        one["name"]: replace(amount, per=sums[0][1].per)
        if _PATTERNS["elliptic"].search(one[0])
        else amount
        if amount.meaning == "exactly" and amount.per in INTERVALS and not one.groupdict().get("least")
        else None
        for one, amount in sums
        if (amount.kind == "money" or not amount.unit) and not set(terms(one["name"])) & _SPENDING
    }


INTERVALS: Mapping[str, Interval] = {"": "", "each": "", "day": "day", "week": "week", "month": "month", "year": "year"}
"""The interval of a price by the rhythm in which its sum is spoken."""


def _rule(said: str) -> str:
    """Return a rule; one that wants a question before money is spent, in the form in which agents hold it."""
    money = [one for one in amounts_in(said) if one.kind == "money"]
    if (
        len(money) == 1
        and _PATTERNS["asked_first"].search(said)
        and not re.match(r"(?:never|no)\b", said, re.IGNORECASE)
    ):
        words = re.sub(r"^(?:over|above|more than|beyond)\s+", "", money[0].words, flags=re.IGNORECASE)
        return f"Ask me before spending more than {words}."
    return said


def _duty(said: str) -> str:
    """Return a duty; a figure that the owner wants to have is to be sent.

    >>> _duty("Each Monday I would like to have the waste."), _duty("Every Friday: unpaid invoices to me.")
    ('Each Monday send me the waste.', 'Every Friday send me the unpaid invoices.')
    """
    if (listed := _PATTERNS["named_only"].match(said)) and listed["first"].lower() not in word_lists().verbs:
        return f"{listed['when']} send me {listed['what']}"
    wanted = _PATTERNS["wants"].sub(r"\g<when> send me ", _PATTERNS["gives"].sub(r"\g<when> send me ", said))
    return _PATTERNS["to_me"].sub(r"\g<when> send me the \g<what>.", wanted)


_FORMS: Mapping[str, Callable[[str], str]] = {
    "rules": _rule,
    "duties": _duty,
    "spending": lambda said: f"Ask me before spending more than {said.removeprefix('above ').strip('. ')}.",
}
"""The form in which an answer is kept, by key."""


def _has_line_word(said: str, base: BusinessTemplate) -> bool:
    flat = f" {' '.join(terms(said))} "
    return any(f" {' '.join(terms(word))} " in flat for word in base.words)


def _add_figures(
    found: _Found, said: str, base: BusinessTemplate, *, is_listed: bool = False
) -> tuple[DescribedFigure, ...]:
    """Add the figures of a sentence, and return them; a second value of one series for one time unsettles both."""
    read = list[DescribedFigure]()
    for one in figures_in(said, names_of(base), is_listed=is_listed):
        key = (one.name, one.when)
        if not one.target and (other := found.values.get(key)) and other.value != one.value:
            del found.values[key]
            found.parts = [part for part in found.parts if (part.what, part.words) != ("figure", other.words)]
            found.unread.append(f"two values for {one.name.replace('_', ' ')} (in: {other.words} In: {said})")
            continue
        read.append(one)
        if one.target:
            found.figures[one.name] = one
        else:
            found.values[key] = one
        value = f"{one.name} {one.target}" if one.target else f"{one.name} is {one.value:g} {one.unit} {one.when}"
        found.parts.append(DescribedPart("figure", one_line(value).strip(), one.words))
    return tuple(read)


def _add_people(found: _Found, said: str, name: str, *, is_listed: bool = False) -> None:
    for person, duty, words in people_in(said, business=name, is_listed=is_listed):
        found.people.setdefault(person, []).append(duty)
        found.parts.append(DescribedPart("person", f"{person}: {duty}" if duty else person, words))


def _build_pack(
    found: _Found, base: BusinessTemplate, form: Mapping[str, Any] | None, currency: str, *, is_own: bool = False
) -> DescribedBusiness:
    """Return the pack: the line's figures, in the currency of the text, and the owner's statements.

    Targets and goals of the line stay where it is the owner's own.
    """
    own = {
        one.name: one.model_copy(
            update={
                "target": one.target if is_own else "",
                "unit": one.unit.replace("USD", currency).removeprefix("/month"),
            }
        )
        for one in base.figures
    }
    for one in (*found.values.values(), *found.figures.values()):
        also = (plural,) if (plural := f"{one.title.removesuffix(' rate')}s").lower() in one.words.lower() else ()
        new = BusinessFigure(name=one.name, title=one.title, unit=one.unit, also=also)
        given = one.figure or own.get(one.name) or new
        target = one.target or given.target
        unit = one.unit or given.unit
        owner = given.owner or owner_among(f"{one.name} {one.title}", [base.role(role) for role in ROLES])
        own[one.name] = given.model_copy(update={"target": target, "unit": unit, "owner": owner})
    people = [{"name": name, "duty": "; ".join(filter(None, duties))} for name, duties in found.people.items()]
    told = {
        "currency": currency, "description": " ".join(found.texts.get("line", ())) or base.description,
        "products": found.texts.get("products", ()),
        "customer_segments": dict.fromkeys(found.texts.get("customers", ()), ""),
        "revenue_streams": found.texts.get("revenue_streams", ()), "value_propositions": (),
        "figures": [one.model_dump() for one in own.values()], "people": people, "rules": found.texts.get("rules", ()),
        "duties": found.texts.get("duties", ()),
        "vocabulary": {**base.vocabulary, **_vocabulary(found.texts.get("vocabulary", ()))},
        "goals": (*(base.goals if is_own else ()), *found.goals), "is_described": not is_own,
        "roles": base.roles if is_own else _without_targets(base),
    }  # fmt: skip
    more = {key: form[key] for key in ("title", "roles", "questions", "vertical") if form and form.get(key)}
    if form and _are_goals(form.get("goals")):
        more["goals"] = form["goals"]
    try:
        pack = BusinessTemplate.model_validate({**base.model_dump(), **told, **more})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InvalidArgument(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", argument="describe") from None
    unread, values = tuple(found.unread), tuple(found.values.values())
    return DescribedBusiness(pack, tuple(found.parts), unread, _open_questions(found), values, found.prices)


def _without_targets(base: BusinessTemplate) -> dict[str, Any]:
    """Return a line's additions to its roles without desires: targets are the owner's to set."""
    dumped = {role: one.model_dump() for role, one in base.roles.items()}
    return {role: {**one, "desires": ()} for role, one in dumped.items()}


def _vocabulary(said: Iterable[str]) -> dict[str, str]:
    pairs = (one.partition(":") for text in said for one in re.split(r"\s*[;,]\s*", text))
    return {term.strip(): word.strip() for term, _, word in pairs if term.strip() and word.strip()}


def _open_questions(found: _Found) -> tuple[InterviewQuestion, ...]:
    """Return the questions of the interview that the description does not answer."""
    known = set(found.texts) | ({"people"} if found.people else set())
    known |= {"figures"} if found.figures else set()
    known |= {name for name, _ in found.values} | set(found.figures)
    if any("spend" in one.lower() for one in found.texts.get("rules", ())):
        known.add("spending")
    return tuple(one for one in interview() if one.key not in known)
