"""Logic over statements: classes, conditions and single cases."""

import re
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import Phrasing, join_items, stem
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["statements"]
_AUX = re.compile(WORDS["aux"], re.IGNORECASE)
DENIES = re.compile(r"\b(?:not|no|nobody|no one|never|none|nothing)\b|n['’]t\b", re.IGNORECASE)


def claim_of(text: str) -> tuple[str, bool]:
    """Return a statement as a key of its content words, and whether it is affirmed."""
    keys = sorted(stem(one) for one in re.findall(r"[^\W_]+", _AUX.sub(" ", text)))
    return "P" + "".join(word.capitalize() for word in keys), not DENIES.search(text)


def read_logic(q: Phrasing, _held: Holdings) -> Reading:
    """Read general and particular statements: whether something follows, its contrary does, or neither."""
    if q.figures or not q.plain.rstrip().endswith("?"):
        return None
    sentences = [(a, b, q.plain[a:b].strip()) for a, b in q.sentences()]
    asked = sentences[-1][2]
    if len(sentences) < 2 or not re.match(r"(?:does|do|is|are|did|has|have|will|can|must)\b", asked, re.I):
        return None
    premises, rules = list[dict[str, str]](), 0
    for number, (a, b, text) in enumerate(sentences[:-1], 1):
        formula = _formula(text.rstrip("."))
        if not formula:
            return None
        rules += re.match(r"(?:all|every|each|no|some|if|when|whenever|any|only)\b", text, re.I) is not None
        premises.append({"id": f"statement {number}", "says": formula})
        q.use((a, b))
    goal = _goal(asked)
    formulas = [*(one["says"] for one in premises), goal]
    is_general = any("∀" in one or "∃" in one for one in formulas)
    if not rules or not goal or (is_general and any("(here)" in one for one in formulas)):
        return None
    names = re.findall(r"[^\W\d][\w-]*(?=\()", " ".join(formulas))
    if any(names.count(one) == 1 and f"{one}(here)" in " ".join(formulas) for one in names):
        return None  # a statement that touches no other: "on time" for "not late"
    q.use(sentences[-1][:2])

    def conclude(result: MethodResult[Any]) -> Upshot:
        holds = result.answer.holds
        if result.status == "inconsistent":
            return Upshot("", changes="the statements contradict each other")
        if holds is None:
            return Upshot(
                "That does not follow from what is said, and neither does the contrary.",
                "neither",
                1.0,
                "a statement that decides it.",
            )
        says = "Yes" if holds else "No"
        needed = sorted(
            {
                f"“{sentences[int(one.split()[-1]) - 1][2].rstrip('.')}”"
                for one in result.evidence
                if one.startswith("statement")
            }
        )
        sentence = f"{says}: that {'follows' if holds else 'is ruled out'}."
        return Upshot(sentence, says, 1.0, f"it rests on {join_items(needed) or 'all statements'}.")

    echo = f"{join_items(f'“{text.rstrip(chr(46))}”' for *_, text in sentences[:-1])}; asked: {asked.rstrip('?')}"
    return FilledForm("deductive", {"kind": "fol", "premises": premises, "goal": goal}, echo, conclude)


_CLASS = re.compile(WORDS["class"], re.IGNORECASE)
_SIMPLE = re.compile(WORDS["simple"])
_NO_NAMES = frozenset("it nobody there somebody everybody everyone the this that he she they we".split())  # noqa: SIM905


def _key(text: str, verb: str = "") -> str:
    """Return the predicate of a class or property; a verb that is more than being or having is part of it."""
    extra = "" if re.fullmatch(r"is|are|has|have|gets?|do|does|can", verb, re.I) else f" {verb}"
    return claim_of(text + extra)[0]


def _formula(text: str) -> str:  # noqa: PLR0911  # one return for each form of a statement
    """Return a statement as a formula, or an empty text where it is not understood."""
    if re.match(r"(?:if|when|whenever)\b", text, re.I):
        parts = re.match(r"(?:if|when|whenever)\s+(?P<a>[^,]+),\s*(?:then )?(?P<b>[^,]+)$", text, re.I)
        if parts is None or re.search(r"\b(?:and|or|unless|only)\b", text, re.I):
            return ""
        return f"{_literal(parts['a'])} → {_literal(parts['b'])}"
    if re.search(r"\b(?:unless|except|but|or|and|only|most|many|few|usually|often|probably|may|might)\b|,", text, re.I):
        return ""
    if found := re.match(r"(?P<class>[A-Z][\w-]*s) (?:are|have) (?P<what>[^.]+)$", text):  # "Penguins are birds"
        denied = "¬" if DENIES.search(found["what"]) else ""
        return f"∀x ({_key(found['class'])}(x) → {denied}{_key(found['what'])}(x))"
    if found := re.match(r"(?P<how>all|every|no) (?P<class>[\w-]+) (?P<what>\w+)$", text, re.I):  # "All birds fly"
        denied = "¬" if found["how"].lower() == "no" else ""
        return f"∀x ({_key(found['class'])}(x) → {denied}{_key(found['what'])}(x))"
    if re.match(r"(?:all|every|each|no|some|any)\b", text, re.I) and not _CLASS.match(text):
        return ""
    if found := _CLASS.match(text):
        how = found["how"].lower()
        a, b = _key(found["class"]), _key(found["what"], found["verb"])
        denied = "¬" if how == "no" or DENIES.search(found["what"]) else ""
        return f"∃x ({a}(x) ∧ {denied}{b}(x))" if how.startswith("some") else f"∀x ({a}(x) → {denied}{b}(x))"
    if found := _SIMPLE.match(text):
        if found["name"].lower() in _NO_NAMES:
            return _literal(text)
        denied = "¬" if DENIES.search(f"{found['verb']} {found['what']}") else ""
        return f"{denied}{_key(found['what'], found['verb'])}({found['name'].lower()})"
    return _literal(text) if len(text.split()) <= 8 else ""


def _literal(text: str) -> str:
    key, affirmed = claim_of(text)
    return f"{'' if affirmed else '¬'}{key}(here)"


def _goal(asked: str) -> str:
    """Return a question of yes or no as a formula."""
    text = asked.rstrip("?").strip()
    if found := re.match(
        r"(?:are|do|have) (?P<how>some|all) (?:of )?(?:our |the )?(?P<class>[\w-]+) (?P<what>[\w -]+)$", text, re.I
    ):
        a, b = _key(found["class"]), _key(found["what"])
        return f"∃x ({a}(x) ∧ {b}(x))" if found["how"].lower() == "some" else f"∀x ({a}(x) → {b}(x))"
    if found := re.match(r"(?:is|does|has|did) (?P<name>(?-i:[A-Z]\w+)) (?:a |an )?(?P<what>[^?]+)$", text, re.I):
        verb = found["what"].split()[0]
        own = verb if re.fullmatch(r"pays?|needs?|uses?|owns?|gets?", verb, re.I) else "is"
        return (
            f"{_key(found['what'].removeprefix(verb) if own != 'is' else found['what'], own)}({found['name'].lower()})"
        )
    if found := re.match(r"(?:do|are|have) (?P<class>[\w-]+s) (?P<what>[^?]+)$", text, re.I):
        return f"∀x ({_key(found['class'])}(x) → {_key(found['what'])}(x))"
    if found := re.match(
        r"(?:is|does|do|are|has|have) (?:an? )(?P<class>[\w-]+) (?:a |an )?(?P<what>[^?]+)$", text, re.I
    ):
        return f"∀x ({_key(found['class'])}(x) → {_key(found['what'])}(x))"
    bare = re.sub(r"^(?:does|do|is|are|did|has|have|will)\s+", "", text, flags=re.I)
    return _literal(bare)
