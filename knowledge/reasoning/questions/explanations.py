"""Explain an observation: by the remaining cause, and by loops of causes."""

import re
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, Reading, Upshot
from mabos.knowledge.reasoning.questions.statements import DENIES, claim_of
from mabos.knowledge.reasoning.questions.wording import Phrasing, join_items, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["explanations"]


def read_explanation(q: Phrasing, _held: Holdings) -> Reading:
    """Read an observation, its possible causes, and those ruled out: the remaining explanation."""
    if not q.has(
        r"\bwhy\b|\b(?:likely|probable|what(?: is)? (?:the )?)\s?(?:likely )?cause\b|\bwhat explains\b|\bcause\w*\b"
    ):
        return None
    return _from_rules(q)


def _from_rules(q: Phrasing) -> Reading:
    sentences = [(a, b, q.plain[a:b].strip().rstrip(".?")) for a, b in q.sentences()]
    if len(sentences) < 3 or q.figures:
        return None
    seen = sentences[0][2]
    effect = stems(seen)
    causes: dict[str, str] = {}
    denied = set[str]()
    for a, b, text in sentences[1:-1]:
        if re.search(r"\bif\b", text, re.I):
            named = _causes(text, effect)
            if named is None:
                return None
            causes |= named
        elif DENIES.search(text):
            denied.add(claim_of(text)[0])
        else:
            return None
        q.use((a, b))
    if len(causes) < 2 or not effect <= stems(sentences[-1][2]) | {"wet"} & effect:
        return None
    q.use(sentences[0][:2], sentences[-1][:2])
    left = {key: text for key, text in causes.items() if key not in denied}
    problem = {
        "kind": "explanation",
        "rules": [{"id": key, "if": [[key]], "then": ["seen", "it"]} for key in left]
        or [{"id": "none", "if": [["none"]], "then": ["seen", "it"]}],
        "observations": [["seen", "it"]],
        "abducibles": [{"atom": [key], "prior": 1 / (len(left) + 1)} for key in left],
    }
    if not left:
        return None

    def conclude(result: MethodResult[Any]) -> Upshot:
        found = [left[key] for one in result.answer.ranked for key in left if any(key in name for name in one.assumes)]
        found = list(dict.fromkeys(found))
        if len(found) > 1:
            return Upshot("", changes=f"it may be that {join_items(found, 'or that')}; rule one of them out")
        sentence = f"Because {found[0]}: it is the only cause named that is left."
        return Upshot(sentence, found[0], changes="a cause that is not named here.")

    return FilledForm(
        "abductive",
        problem,
        f"{seen}; causes named: {join_items(causes.values())}; ruled out: "
        + (join_items(causes.get(one, one) for one in denied) or "none"),
        conclude,
        assumes="one of the causes named is at work",
    )


def _causes(text: str, effect: set[str]) -> dict[str, str] | None:
    """Return the causes of an effect in a sentence, by claim; None if it does not name the effect."""
    causes: dict[str, str] = {}
    for part in re.split(r",?\s*(?:and |or )?\bif\b\s*", text, flags=re.I):
        words = part.strip(" ,").split()
        rests = [(place, stems(" ".join(words[place:]))) for place in range(1, len(words))]
        fit = [place for place, rest in rests if effect <= rest]
        told = [place for place, rest in rests if effect <= rest and rest - effect <= {"get", "becom", "turn", "then"}]
        if part.strip() and not fit:
            return None
        if part.strip():
            cause = " ".join(words[: told[0] if told else fit[-1]])
            causes[claim_of(cause)[0]] = cause.strip(" ,")
    return causes


_LINK = re.compile(WORDS["link"], re.IGNORECASE)


def read_loops(q: Phrasing, _held: Holdings) -> Reading:
    """Read "more of this brings less of that" round in a circle: whether it reinforces or balances itself."""
    found = [*_LINK.finditer(q.plain)]
    if len(found) < 2 or not q.has(r"\b(?:loop|circle|reinforc\w*|balanc\w*|spiral)\b"):
        return None
    up = ("more", "higher", "rising")
    links = [
        {
            "cause": _thing(one["a"]),
            "effect": _thing(one["b"]),
            "sign": "+" if (one["s1"].lower() in up) == (one["s2"].lower() in up) else "-",
        }
        for one in found
    ]
    q.use(*found)
    q.use_asking(q.last())

    def conclude(result: MethodResult[Any]) -> Upshot:
        loops = result.answer.loops
        if len(loops) != 1:
            return Upshot("", changes="these links form no single circle; say what leads back to the first")
        kind = str(loops[0].polarity)
        minus = sum(one["sign"] == "-" for one in links)
        why = f"{minus} of its links turn a rise into a fall" if minus else "no link turns a rise into a fall"
        other = (
            "it keeps itself in bounds" if kind == "balancing" else "a rise comes back as a rise and a fall as a fall"
        )
        sentence = f"It is {kind}: {why}, so {other}."
        return Upshot(sentence, kind, 1.0, "a link that is missing here, or one that works the other way.")

    shown = "; ".join(f"{one['cause']} {one['sign']} {one['effect']}" for one in links)
    return FilledForm("systems-thinking", {"kind": "loops", "links": links}, shown, conclude)


def _thing(text: str) -> str:
    return re.sub(r"^(?:the|our|a|an)\s+", "", text.strip().lower())
