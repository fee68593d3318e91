"""Arguments of a catalogue operation, filled by their kinds from the parts of an order.

A required argument without a value is missing; an amount, a duration or a recipient is never made up.
"""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta

from mabos.language.amounts import SpokenAmount
from mabos.language.catalogue import Wording, wordings
from mabos.language.interpreter import Context
from mabos.language.letters import LETTERS, fill_letter
from mabos.language.order_draft import OrderDraft
from mabos.language.order_names import AUDIENCE, CAPITALISED, name_of, title_of_work
from mabos.language.order_parts import TextSpan
from mabos.language.request import Slot
from mabos.language.wordlists import order_form
from mabos.workspace.currencies import home

_GIVEN_BY_HANDLERS = (("ad_campaign_create", "name"), ("work_package_create", "description"))
"""Arguments that follow from the order as a whole where nobody names them."""
_DAYS = {"day": 1.0, "week": 7.0, "fortnight": 14.0}
_SEGMENT = order_form("order_slots.segment")
_EVERYBODY = ("all", "everybody", "everyone", "anybody", "anyone", "the public", "all people", "everyone else")
_CODE = re.compile(r"\b[A-Z]{2,6}-\d+\b")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"\+?\d[\d ()/-]{6,}\d")


def fill(draft: OrderDraft, name: str, context: Context) -> None:
    """Fill the arguments of an operation, and record the required ones without a value."""
    if name in LETTERS:
        fill_letter(draft, name)
    wording = wordings()[name]
    for argument, kind in wording.kinds.items():
        if not draft.has(argument) and argument not in draft.missing:
            _argument(draft, wording, argument, kind)
    _ends(draft, name)
    needed = next((tuple(one.parameters.get("required", ())) for one in context.operations if one.name == name), ())
    for argument in needed:
        if not draft.has(argument) and (name, argument) not in _GIVEN_BY_HANDLERS:
            if argument in wording.assumed:
                draft.assume(argument, wording.assumed[argument])
            elif argument not in draft.missing:
                draft.lack(argument)


def _argument(draft: OrderDraft, wording: Wording, argument: str, kind: str) -> None:
    kind, _, detail = kind.partition(":")
    if kind == "enum":
        _enum(draft, wording, argument)
    elif kind == "record":
        _record(draft, argument, detail)
    elif kind.startswith("money") or kind == "price":
        _money(draft, argument, kind.partition("/")[2] if kind != "price" else "any")
    elif kind in _FILLERS:
        _FILLERS[kind](draft, argument)


# --- values -------------------------------------------------------------------


def _enum(draft: OrderDraft, wording: Wording, argument: str) -> None:
    """Take the value whose word is the most specific in the order; the verb counts least."""
    found: list[tuple[int, int, str, int, int]] = []
    for value, pattern in wording.synonyms.get(argument, {}).items():
        for match in pattern.finditer(draft.parts.masked):
            after_preposition = bool(
                re.search(r"\b(?:on|in|at|via|as|to|with|through)\s+$", draft.parts.masked[: match.start()])
            )
            found.append((-int(after_preposition), -len(match[0]), value, match.start(), match.end()))
    if found:
        _, _, value, start, end = min(found)
        draft.put(argument, value, draft.parts.start + start, draft.parts.start + end)


def _money(draft: OrderDraft, argument: str, per: str) -> None:
    """Take an amount of the wanted rhythm; others are converted only where that is exact."""
    amounts = [one for one in draft.parts.amounts if one.kind != "percent" and not draft.is_covered(one.start, one.end)]
    money = [one for one in amounts if one.kind == "money"] or [
        one
        for one in amounts
        if (one.per and one.per != "each") or one.unit in ("", "a", "an", "per", "each", "to", "on", "for")
    ]
    is_change = argument == "weekly_budget_usd" and draft.parts.masked.find("budget") >= 0
    money = [one for one in money if _fits(one, per) or (is_change and not one.per)] or (
        money if per in ("", "any") else []
    )
    if not money:
        _other_rhythm(draft, argument, per)
        return
    amount = (
        money[-1] if re.search(r"\bfrom\b.*\bto\b|\binstead of\b", draft.parts.masked) and len(money) == 2 else money[0]
    )
    if "instead of" in draft.parts.masked and len(money) == 2:
        amount = money[0]
    if amount.unit not in (home(), "") and amount.kind == "money":
        draft.put("amount", amount.value, amount.start, amount.end, amount.meaning)
        draft.assume("currency", amount.unit)
        draft.lack(argument)
        return
    meaning = "exactly" if amount.words.lower().startswith("up to") and argument == "amount_usd" else amount.meaning
    draft.put(argument, amount.value, amount.start, amount.end, meaning)
    for other in money:
        if other is not amount and re.search(r"\bfrom\b|\binstead of\b", draft.parts.masked):
            draft.cover(other.start, other.end)


def _fits(amount: SpokenAmount, per: str) -> bool:
    if per == "any":
        return True
    return amount.per == per if per else amount.per in ("", "total")


def _other_rhythm(draft: OrderDraft, argument: str, per: str) -> None:
    """Read "1,500 in total for 3 weeks" or "60 a day" as an amount a week; keep others for a question."""
    for one in draft.parts.amounts:
        if one.kind == "percent" or draft.is_covered(one.start, one.end) or (one.kind == "count" and not one.per):
            continue
        weeks = next(
            (time.count * _DAYS.get(time.unit, 0) / 7 for time in draft.parts.times if time.kind == "duration"), 0.0
        )
        if per == "week" and one.per == "day" and one.unit in (home(), ""):
            draft.put(argument, one.value * 7, one.start, one.end, one.meaning)
        elif per == "week" and one.per == "total" and weeks and one.unit in (home(), ""):
            draft.put(argument, round(one.value / weeks, 2), one.start, one.end, one.meaning)
        elif not draft.has("amount"):
            draft.put("amount", one.value, one.start, one.end, one.meaning)
            if one.unit not in (home(), "") and one.kind == "money":
                draft.assume("currency", one.unit)
            if one.per:
                draft.assume("per", one.per)
        return


def _weeks(draft: OrderDraft, argument: str) -> None:
    spans = [one for one in draft.parts.times if one.kind == "duration"]
    exact = [one for one in spans if (one.count * _DAYS.get(one.unit, 0) / 7).is_integer() and one.unit in _DAYS]
    for one in exact if len(exact) == 1 else spans:
        weeks = one.count * _DAYS.get(one.unit, 0) / 7
        if weeks and weeks == int(weeks):
            draft.put(argument, int(weeks), one.start, one.end, "about" if one.about else "exactly")
        else:
            draft.put("duration", f"{one.count:g} {one.unit}", one.start, one.end)
            draft.lack(argument)
        return
    for one in draft.parts.times:
        if one.kind == "day" and one.day and one.role == "by":
            first = next(
                (other.day for other in draft.parts.times if other.role == "from" and other.day),
                draft.context.now.date(),
            )
            days = (one.day - first).days
            if days > 0 and days % 7 in (0, 6):
                draft.put(argument, (days + 1) // 7, one.start, one.end)
            else:
                draft.put("until", one.iso, one.start, one.end)
                draft.lack(argument)
            return


def _hours(draft: OrderDraft, argument: str) -> None:
    for one in draft.parts.times:
        if one.kind == "duration" and one.unit == "hour":
            draft.put(argument, one.count, one.start, one.end)


def _date(draft: OrderDraft, argument: str) -> None:
    label = draft.parts.labels.get(argument)
    when = draft.parts.deadline
    if when:
        draft.put(argument, when.iso, when.start, when.end)
    elif label:
        draft.put(argument, label.words, label.start, label.end)


def _day(draft: OrderDraft, argument: str) -> None:
    when = next((one for one in draft.parts.times if one.iso), None)
    if when:
        draft.put(argument, when.iso, when.start, when.end)


def _count(draft: OrderDraft, argument: str) -> None:
    for one in draft.parts.amounts:
        if one.kind == "count" and not one.per and not draft.is_covered(one.start, one.end):
            draft.put(argument, int(one.value), one.start, one.end, one.meaning)
            return


def _number(draft: OrderDraft, argument: str) -> None:
    free = [one for one in draft.parts.amounts if not draft.is_covered(one.start, one.end)]
    if free:
        one = free[0]
        draft.put(argument, one.value, one.start, one.end, one.meaning)


def _share(draft: OrderDraft, argument: str) -> None:
    for one in draft.parts.amounts:
        if not draft.is_covered(one.start, one.end) and (one.kind == "percent" or one.value <= 1):
            draft.put(
                argument, one.value / 100 if one.kind == "percent" else one.value, one.start, one.end, one.meaning
            )
            return


def _unit(draft: OrderDraft, argument: str) -> None:
    value = next((one for one in draft.parts.amounts if draft.is_covered(one.start, one.end)), None)
    if value is not None and value.kind != "count":
        draft.assume(argument, "%" if value.kind == "percent" else value.unit)


# --- names and words ----------------------------------------------------------


def _segment(draft: OrderDraft, argument: str) -> None:
    """Take whom a campaign or a price addresses: everybody, a segment on record, or the words given."""
    parts = draft.parts
    for match in _SEGMENT.finditer(parts.text[parts.start :]):
        who = match["who"].lower()
        start, end = parts.start + match.start(), parts.start + match.end()
        if who in _EVERYBODY or (
            re.match(r"(?:all |everybody|everyone)", who) and who.split()[-1] in ("people", "comers")
        ):
            draft.put(argument, "all", start, end)
            return
        named = re.sub(r"^(?:all )?(?:our |the )?", "", who)
        segment = next(
            (one for one in draft.context.vocabulary.segments if one.lower() in (named, named.rstrip("s"))), ""
        )
        if segment:
            draft.put(argument, segment, start, end)
            return
        if not draft.is_covered(start, end) and re.search(
            r"(?:aimed|target|address|direct|reach|toward)", match[0].lower()
        ):
            draft.put(argument, named, start, end)
            return
    for match in AUDIENCE.finditer(parts.text, parts.start):
        if not draft.is_covered(match.start("who"), match.end()):
            named = re.sub(r"^(?:(?:all|our|the)\s+)+", "", match["who"], flags=re.IGNORECASE)
            draft.put(argument, named, match.start(), match.end())
            return


def _record(draft: OrderDraft, argument: str, section: str) -> None:
    """Take a record by its code, by its name among those on record, or by the name given."""
    parts = draft.parts
    names = {
        name: place for name, place in draft.context.vocabulary.names.items() if place.startswith(section.rstrip("s"))
    }
    if code := _CODE.search(parts.text):
        draft.put(argument, code[0], code.start(), code.end())
        return
    for name in sorted(names, key=len, reverse=True):
        at = parts.text.lower().find(name.lower())
        if at >= 0 and not draft.is_covered(at, at + len(name)):
            draft.put(argument, name, at, at + len(name))
            return
    if parts.name and not draft.is_covered(parts.name.start, parts.name.end):
        draft.put(argument, parts.name.words, parts.name.start, parts.name.end)
        return
    noun = {
        "campaigns": r"campaign|ads?|adverts?|advertising",
        "work_packages": r"work package|package",
        "contractors": r"contractor",
    }.get(section, "record")
    for pattern in (
        rf"\b(?:the|our|this|that) (?P<name>(?!weekly|budget|work\b)[\w'’-]+(?: [\w'’-]+){{0,3}}?) (?:{noun})\b",
        rf"\b(?:{noun}) (?:for|about|of) (?:the |our )?(?P<name>[\w'’-]+(?: [\w'’-]+)?)",
        rf"\bto (?P<name>{CAPITALISED})" if section in ("contractors", "contacts") else r"(?!)",
        rf"\b(?:with|for|of) (?P<name>{CAPITALISED})" if section == "contacts" else r"(?!)",
        rf"\bof (?P<name>{CAPITALISED})" if section == "campaigns" else r"(?!)",
    ):
        match = re.search(pattern, parts.text[parts.start :])
        if match and not draft.is_covered(parts.start + match.start("name"), parts.start + match.end("name")):
            draft.put(argument, match["name"], parts.start + match.start("name"), parts.start + match.end("name"))
            return


def _text(draft: OrderDraft, argument: str) -> None:
    """Take a labelled or verbatim text, else all that is left of the order."""
    parts = draft.parts
    label = parts.labels.get(argument) or parts.labels.get("text")
    if label:
        draft.put(argument, label.words, label.start, label.end)
        return
    colon = re.search(r":\s+(?P<rest>\S.*)", parts.text[parts.start :], re.DOTALL)
    rest = colon["rest"] if colon else re.sub(
        r"^(?:remember|keep in mind|memori[sz]e|make a note|bear in mind|note(?: down)?|set|create|add|make|define|"
        r"adopt)\s*(?:the |a |an |us a )?(?:goal|objective|target)?"
        r"\s*(?:that|of|to)?\s*", "", parts.core, flags=re.IGNORECASE,
    )  # fmt: skip
    if rest.strip():
        start = parts.text.find(rest)
        draft.put(argument, rest.strip().rstrip("."), start, start + len(rest))


_SKILLS = (
    r"\b(?:skills?(?: needed| required)?(?: in| are| is|:)?|skilled in|good at|who can|someone who can|"
    r"speciali[sz]ed in|expert in)\s+"
    r"(?P<it>[a-z][\w &-]*(?:(?:, | and )[a-z][\w &-]*)*?)(?=,? (?:at|for|with|by|from|on)\b|,? ?[$€£\d]|[.;:)]|$)"
)
_TRADES = (
    r"\b(?:who does|who do|he does|she does|they do|doing|does|knows?|for)\s+"
    r"(?P<it>[a-z][\w &-]*(?:(?:, | and )[a-z][\w &-]*)*?)(?=,? (?:at|for|with|by|from|on)\b|,? ?[$€£\d]|[.;:)]|$)",
    r"[,:]\s*(?P<it>[a-z][a-z -]+(?:(?:,| and) [a-z][a-z -]+)*)(?=,\s|,? (?:at|for) \d|$)",
)


def _words(draft: OrderDraft, argument: str) -> None:
    """Take a list of skills: after a label or "who can"; of a contractor also the bare words between two commas."""
    text = draft.parts.text
    found = draft.parts.labels.get("skills") or _match_span(text, _SKILLS)
    if argument == "skills":
        found = found or _match_span(text, _TRADES[0]) or _match_span(text, _TRADES[1])
    if found and not draft.is_covered(found.start, found.end):
        values = [one.strip() for one in re.split(r",| and ", found.words) if one.strip()]
        draft.put(argument, values if argument != "skill" else values[0], found.start, found.end)


def _match_span(text: str, pattern: str) -> TextSpan | None:
    match = re.search(pattern, text)
    return TextSpan(match["it"].strip(), match.start(), match.end("it")) if match else None


def _take(pattern: str, group: str = "it", *, flags: re.RegexFlag = re.IGNORECASE) -> Callable[[OrderDraft, str], None]:
    """Return a filler that takes the match of a pattern in the order."""
    compiled = re.compile(pattern, flags)

    def filler(draft: OrderDraft, argument: str) -> None:
        for match in compiled.finditer(draft.parts.text, draft.parts.start):
            start, end = match.span(group)
            if not draft.is_covered(start, end) and match[group].strip():
                draft.put(argument, match[group].strip(), start, end)
                return

    return filler


def _person(draft: OrderDraft, argument: str) -> None:
    parts = draft.parts
    if parts.name:
        draft.put(argument, parts.name.words, parts.name.start, parts.name.end)
        return
    for match in re.finditer(CAPITALISED, parts.text[parts.start :]):
        words, start = match[0], parts.start + match.start()
        if start == parts.start:
            verb, _, words = words.partition(" ")
            start += len(verb) + 1
        if new := re.match(r"(?:New|CRM)\s+", words):
            words, start = words[new.end() :], start + new.end()
        if words and not draft.is_covered(start, start + len(words)) and not re.match(r"CRM\b", words):
            draft.put(argument, words, start, start + len(words))
            return


def _product(draft: OrderDraft, argument: str) -> None:
    name_of(draft, argument)
    if not draft.has(argument):
        _take(
            r"\b(?:price (?:of|for)|charge for|price) (?:the |our |an? )?(?P<it>[\w'’ -]+?)(?= (?:to|at|from|by|is|"
            r"should|a|for|up|down|costs?)\b|[,.:;]|$)"
        )(draft, argument)
    if not draft.has(argument):
        _take(
            r"\bcharge \S+(?: dollars)? (?:a month |a year )?for (?:the |our |an? )?(?P<it>[\w'’ -]+?)(?= (?:from|"
            r"as)\b|[,.:;]|$)"
        )(draft, argument)


def _keywords(draft: OrderDraft, argument: str) -> None:
    parts = draft.parts
    if parts.quoted:
        draft.put(argument, [one.words for one in parts.quoted], parts.quoted[0].start, parts.quoted[-1].end)
        return
    found = _match_span(
        parts.text[parts.start :],
        r"\b(?:ranks? for|keywords?:?|search terms?:?|rankings? (?:for|of))\s+(?P<it>[\w ,'’-]+)",
    )
    if found:
        values = [one.strip() for one in re.split(r",| and ", found.words) if one.strip()]
        draft.put(argument, values, parts.start + found.start, parts.start + found.end)


def _metric(draft: OrderDraft, argument: str) -> None:
    """Take the name of a metric: one on record that the order has the words of, else the words around the number."""
    parts = draft.parts
    low = parts.masked
    for name in sorted(draft.context.vocabulary.metrics, key=len, reverse=True):
        words = name.lower().replace("_", " ")
        short = words.removesuffix(" rate").removesuffix(" usd")
        match = next((one for form in (words, short) if (one := re.search(rf"\b{re.escape(form)}\b", low))), None)
        if match:
            draft.put(argument, name, parts.start + match.start(), parts.start + match.end())
            return
    for pattern in (
        r"(?:record|log|note|enter|put down|write down|register|book|save|reduce|lower|cut|bring|decrease|raise|"
        r"increase|grow|improve|lift|get|push|boost|keep|drive|shrink|slash)\s+"
        r"(?:down |up )?(?:an? |the |our |that )?(?P<it>[a-z][a-z _/-]*?)(?= (?:of|to|at|is|was|were|below|under|"
        r"above|over|by|down|up|=|stands?|for|from)\b|:|=| \d|,|$)",
        r"\d[\d.,]*\s*(?:%|percent|dollars)?\s+(?P<it>[a-z][a-z -]*?)(?= (?:as of|on|for|in|at|by|this|last)\b|"
        r"[,.;]|$)",
    ):
        match = re.search(pattern, low)
        if (
            match
            and match["it"].strip()
            and not draft.is_covered(parts.start + match.start("it"), parts.start + match.end("it"))
        ):
            words = match["it"].strip()
            draft.put(argument, re.sub(r"[^a-z0-9]+", "_", re.sub(r"^(?:number of|level of|"
        r"value of) ", "", words)).strip("_"),
                      parts.start + match.start("it"), parts.start + match.end("it"))  # fmt: skip
            return


def _tag(draft: OrderDraft, argument: str) -> None:
    parts = draft.parts
    if parts.quoted:
        draft.put(argument, parts.quoted[0].words, parts.quoted[0].start, parts.quoted[0].end)
    else:
        _take(
            r"\b(?:the (?:tag|label)|with|as|(?:tag|label)(?= \w+ (?:on|to|from|off)))\s+(?:the )?(?:tag |"
            r"label )?(?P<it>[\w-]+ (?!please|pls|now|too|as|and|on|to|for|from)[\w-]+(?=\W*$)|[\w-]+)"
        )(draft, argument)
    if re.match(r"(?:untag|remove|take)\b", parts.masked):
        draft.put("remove", True, parts.start, parts.start + len(parts.masked.split()[0]))


def _list(draft: OrderDraft, argument: str) -> None:
    selection = draft.parts.selection
    if selection is None:
        return
    standing = selection.value["where"].get("standing")
    if selection.unexplained or (set(selection.value["where"]) - {"standing"}):
        draft.put("recipients", dict(selection.value), selection.start, selection.end)
        if selection.unexplained:
            draft.slots.pop()
            draft.slots.append(Slot("unexplained", list(selection.unexplained), selection.words))
            draft.lack(argument)
    elif standing:
        draft.put(argument, f"{standing}s", selection.start, selection.end)
        if limit := selection.value.get("limit"):
            draft.assume("limit", limit)


def _selector(draft: OrderDraft, argument: str) -> None:
    selection = draft.parts.selection
    if selection is None:
        draft.lack(argument)
    elif selection.unexplained:
        draft.put("unexplained", list(selection.unexplained), selection.start, selection.end)
        draft.lack(argument)
    else:
        draft.put(argument, dict(selection.value), selection.start, selection.end)


def _level(draft: OrderDraft, argument: str) -> None:
    when = draft.parts.deadline
    if when and when.day:
        ahead = when.day - draft.context.now.date()
        level = (
            "operational" if ahead < timedelta(days=28) else "tactical" if ahead < timedelta(days=185) else "strategic"
        )
        draft.assume(argument, level)


_FILLERS: Mapping[str, Callable[[OrderDraft, str], None]] = {
    "weeks": _weeks, "hours": _hours, "date": _date, "day": _day, "count": _count, "number": _number,
    "share": _share, "unit": _unit,
    "name": name_of, "segment": _segment, "text": _text, "words": _words, "person": _person, "product": _product,
    "keywords": _keywords, "metric": _metric, "tag": _tag, "list": _list, "selector": _selector, "level": _level,
    "address": _take(_ADDRESS.pattern.replace("[\\w.+-]+@", "(?P<it>[\\w.+-]+@", 1) + ")"),
    "phone": _take(rf"(?P<it>{_PHONE.pattern})"),
    "company": _take(rf"\b(?:of|at|from|with|for) (?P<it>{CAPITALISED})", flags=re.NOFLAG),
    "job": _take(r",\s*(?:the |their |a )?(?P<it>(?:head|manager|director|owner|chef|buyer|ceo|cfo|cto|founder|"
        r"secretary|teacher|landlord)\b[\w ]*?)(?=\s(?:of|at) [A-Z]|,|$)"),
    "tags": _take(r"\btag(?:ged)?(?: as| with|:)?\s+['\"]?(?P<it>[\w-]+)"),
    "title": _take(r"(?:called|titled|named|with the title|headline)\s*:?\s+['\"“‘]?(?P<it>[^'\"”’.]+)"),
    "topic": _take(r"\b(?:on (?:instagram|facebook|linkedin|twitter|tiktok) (?:that|about|saying)|about|on|regarding|"
        r"explaining|for|how)\s+(?P<it>(?:how |why |what )?[^.;:]+?)(?=,? (?:by|"
        r"until|before|please|pls) |[.;:]|$)"),
    "path": _take(r"(?:folder|path|under|below)\s+['\"]?(?P<it>[\w./-]+)"),
}  # fmt: skip


def _ends(draft: OrderDraft, name: str) -> None:
    """Fill the slots that follow from others of the same operation."""
    if name == "work_package_create":
        if not draft.has("title"):
            title_of_work(draft)
        if draft.has("title") and not draft.has("description"):
            draft.assume("description", next(one.value for one in draft.slots if one.name == "title"))
    if name == "ad_campaign_create" and not draft.has("name") and draft.has("channel"):
        channel = next(one.value for one in draft.slots if one.name == "channel")
        draft.assume("name", f"{channel.capitalize()} campaign")
    if name == "ad_campaign_manage" and draft.has("weekly_budget_usd"):
        draft.slots = [Slot("action", "set_budget", one.words) if one.name == "action" else one for one in draft.slots]
    if name == "crm_tag_contacts" and draft.has("tags"):
        draft.slots = [one for one in draft.slots if one.name != "tags"]
