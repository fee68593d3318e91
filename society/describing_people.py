"""People and lists in an owner's words: `Maria Lopez runs the counter`, `our baker, Tom Reed`, `bread and cakes`."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mabos.language.wordlists import word_lists
from mabos.workspace.dates import MONTHS, WEEKDAYS
from mabos.workspace.text import terms

_COMMON_FILE = Path(__file__).parents[1] / "configs" / "requests" / "common_words.txt"
_TITLE = r"(?:Dr|Mr|Mrs|Ms|Prof|Frau|Herr)\.?"
_WORD = r"[A-ZÀ-Þ][a-zà-ÿ'’]+(?:-[A-ZÀ-Þ][a-zà-ÿ]+)?"
_NAME = rf"(?:{_TITLE} )?{_WORD}(?: (?:van|von|de|der|den|di|la|le))*(?: {_WORD}){{0,2}}"
_VERBS = (
    r"is|was|does|runs|handles|keeps|leads|manages|answers|looks after|takes care of|takes|bakes|cooks|drives|sells|"
    r"buys|orders|plans|cleans|teaches|treats|writes|owns|serves|works|retires|leaves|heads|files|books|packs|repairs|"
    r"supervises|directs|founded|helps|joins|covers|schedules|prepares|oversees|maintains|coordinates|does all"
)
_DOES = re.compile(
    rf"(?P<name>{_NAME}),?(?P<duty> (?:(?:still|also|now) )?(?:{_VERBS})\b[^.;]*| (?:still|also|now) [a-z]+s\b[^.;]*)"
)
_GROUP = re.compile(rf"\b(?P<duty>[a-z]+s), (?P<names>{_WORD}(?:, {_WORD})*,? and {_WORD})\b")
_APPOSED = re.compile(
    rf"\b(?:[Oo]ur|[Tt]he|[Mm]y|[Hh]er|[Hh]is|[Tt]heir) (?P<duty>[a-z][a-z -]{{2,40}}?)"
    rf"(?:,? is |, | (?={_WORD} {_WORD}))(?P<name>{_NAME})(?=[\s,.;)]|$)"
)
_BRACKETS = re.compile(rf"(?P<name>{_NAME}) ?\((?P<duty>[a-z][^)]{{2,60}})\)")
_LISTED = re.compile(rf"^\s*(?P<name>{_NAME})\s*(?:[:,–—-]|\bis\b)\s*(?P<duty>.*?)[.\s]*$")
_TITLED = re.compile(rf"^\s*(?P<name>(?:{_TITLE} )?{_WORD}(?: {_WORD}){{1,2}}) [–—-] (?P<duty>[a-z].*?)[.\s]*$")
_NEXT = re.compile(
    rf",? (?:and|while|but) (?={_NAME} (?:{_VERBS})\b|{_WORD} {_WORD} [a-z]+s\b)|, (?={_NAME} (?:{_VERBS})\b)"
)
_BUSINESS = re.compile(
    r"^ is (?:an?|the|our) (?:[\w-]+ ){0,3}(?:firm|company|practice|clinic|bakery|shop|store|business|agency|"
    r"restaurant|carrier)\b"
)
_NO_NAME = frozenset(
    terms("we our they it the this that these those every each all if when in on at for with and but so i he she")
)


@cache
def _everyday() -> frozenset[str]:
    lines = _COMMON_FILE.read_text("utf-8").splitlines()
    words = {word for line in lines if not line.startswith("#") for word in line.split()}
    days = {day.lower() for day in WEEKDAYS}
    return frozenset(words | days | _NO_NAME | set(word_lists().openers) | set(word_lists().verbs))


def people_in(text: str, *, business: str = "", is_listed: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield each person of a sentence with a duty and the words; `is_listed` for an entry of a list of people."""
    if is_listed and (listed := _LISTED.match(text) or re.match(rf"^\s*(?P<name>{_NAME})(?P<duty>)\s*$", text)):
        yield listed["name"], listed["duty"].strip(), text
        return
    if (titled := _TITLED.match(text)) and _is_person(titled["name"], titled["duty"], business):
        yield titled["name"], titled["duty"].strip(), text
        return
    for clause in _NEXT.split(text):
        for pattern in (_BRACKETS, _DOES, _APPOSED):
            for found in pattern.finditer(clause):
                name, duty = found["name"], found["duty"]
                if _is_person(name, duty, business):
                    yield name, _duty(duty), clause.strip()
    for group in _GROUP.finditer(text):
        for name in re.split(r",? and |, ", group["names"]):
            if _is_person(name, "", business):
                yield name, group["duty"].removesuffix("s"), text


def _is_person(name: str, duty: str, business: str) -> bool:
    words = re.sub(rf"^{_TITLE} ", "", name).split()
    own = set(terms(business))
    if (own and set(terms(name)) <= own) or _BUSINESS.match(duty) or re.match(r" ?(?:is|was) (?:about )?[\d$£€]", duty):
        return False
    if re.search(r"\b(?:and|or|with)$", duty):
        return False  # "owns the pottery and Joe Marsh fires the kiln": no duty of Joe's
    if words[0].lower() in _everyday() and not re.match(_TITLE, name):
        return False
    return not any(word in (*WEEKDAYS, *MONTHS) for word in words)


def _duty(duty: str) -> str:
    said = re.sub(r"^is (?:our |the |an? )?", "", duty.strip())
    return said.strip(" ,.")


def lists_in(text: str) -> list[str]:
    """Return the entries of a list in prose.

    >>> lists_in("bread, rolls and wedding cakes.")
    ['bread', 'rolls', 'wedding cakes']
    """
    parts = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", text.strip(" ."))
    return [part.strip() for part in parts if part.strip() and len(part.split()) <= 8]


_NO_NOUN = frozenset(terms("""
    i we you he she it they them us me who which that this these those what more most all everything nothing
    anything something sense aim use losses loss profit money buying selling do does is are was were have has sells
"""))  # fmt: skip


def nouns_in(text: str) -> list[str]:
    """Return the entries of a list that are names of things: no pronouns, numbers or clauses; one alone in the plural.

    >>> nouns_in("the finest bread, rolls and 11 % more"), nouns_in("them"), nouns_in("a difference")
    (['finest bread', 'rolls'], [], [])
    """
    bare = [re.sub(r"^(?:(?:the|our|also|mostly|mainly|all kinds of|odd|a|an) )+", "", one) for one in lists_in(text)]
    nouns = [
        one
        for one in bare
        if len(one.split()) <= 3 and not set(terms(one)) & _NO_NOUN and not re.search(r"[\d%£$€]", one)
    ]
    return nouns if len(nouns) > 1 or (nouns and nouns[0].endswith("s")) else []
