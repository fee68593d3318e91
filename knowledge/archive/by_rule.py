"""Extract knowledge from a conversation without a model: sentences by form, links by position and words (S4).

Questions end with a question mark; the assistant's next message answers them. A sentence with a figure or a plain `is`
is a fact, a formula or an instruction a procedure. The topic of the task and recurring phrases are concepts. The rules
find less than a model, but give the same result every time.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from mabos.knowledge.archive.model import Bond, Extraction, NodeType, Piece, TaskLine
from mabos.knowledge.entities.triples import triples
from mabos.knowledge.wording import are_opposed
from mabos.language.wordlists import order_form
from mabos.memory.stem import stem
from mabos.workspace.text import STOPWORDS, one_line, terms

_CONFIDENCE: dict[NodeType, float] = {"question": 1.0, "answer": 0.8, "fact": 0.7, "procedure": 0.7, "concept": 0.6}
_ONLY_SAID = 0.5
"""Confidence of a fact that has neither a figure nor a plain `is`: somebody said so."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(\"'])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_LABEL = re.compile(r"^(?:[a-z]+: |#{1,6} .*$)|\*\*|__")
_SPEAKER = re.compile(r"[A-Z][\w.'-]{0,30}(?: [A-Z][\w.'-]{0,30}){0,3}(?: \([\d-]{10}\))?: ")
_STATUS = re.compile(r"The task ended: ")
_REMARK = re.compile(r"\s*\([^()]*\)\.?$")
_ASKING = re.compile(r"^(?:who|what|when|where|which|why|how|can|could|should|do|does|is|are)\b", re.IGNORECASE)
_STATING = re.compile(r"\b(?:is|are|was|were|has|have|had|equals?|costs?|takes?|needs?|grew|fell|rose|became)\b")
_FIGURE = re.compile(r"\d")
_PERIOD = re.compile(r"[\W_]*[A-Za-z]?[\d\W_]+")
_AMOUNT = re.compile(r"(?<![\w.])[$€£]?\d[\d.,]*\d?%?[kKmMbB]?")
_BREAK = re.compile(r"[^\w\s'-]")
_FORMULA = re.compile(r"[\w)%]\s*[=/*]\s*[\w(]|\(.+[-+*/].+\)")
_INSTRUCTION = order_form("archive_by_rule.instruction")
_ORDER = order_form("archive_by_rule.order")
_GREETING = order_form("archive_by_rule.greeting")
_SHORTEST, _TELLING, _LONGEST = 3, 2, 400  # words, words that carry meaning, characters
_MOST_CONCEPTS, _COMES_BACK = 6, 2


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence: its piece, its line, and the stems of its meaningful words."""

    piece: Piece
    line: int
    role: str
    stems: frozenset[str]


def extract_by_rule(goal: str, lines: Sequence[TaskLine]) -> Extraction:
    """Return the knowledge in a task with purpose `goal` and the messages `lines`, oldest first."""
    said = list(_classify_sentences(lines))
    topic = _topic(goal)
    concepts = [Piece("concept", one, _CONFIDENCE["concept"]) for one in _concepts(topic, said, _subjects(lines))]
    bonds = [
        *_answers(said),
        *_sequences(said),
        *_origins(said),
        *_contradictions(said),
        *_belonging(said, concepts),
        *_company(said, concepts),
    ]
    pieces = dict.fromkeys([*concepts, *(one.piece for one in said)])
    return Extraction(tuple(pieces), tuple(dict.fromkeys(bonds)), "rule")


def _classify_sentences(lines: Sequence[TaskLine]) -> Iterator[_Said]:
    asker = ""
    for at, line in enumerate(lines):
        speaker = found[0] if (found := _SPEAKER.match(line.content)) else ""
        voice = speaker or line.role
        sentences = [_clean(text, speaker) for text in _SENTENCE.split(line.content)]
        is_reply = asker and voice != asker and (speaker or line.role == "assistant")
        if is_reply and (answer := _answer(line.content)):
            yield _build_statement("answer", answer, at, line.role)
            asker = ""
        for sentence in sentences:
            kind = _kind(sentence, line.role, speaker)
            if kind:
                asker = voice if kind == "question" else asker
                yield _build_statement(kind, sentence, at, line.role)


def _clean(text: str, speaker: str) -> str:
    """Return a sentence without marks of lists and remarks, with who says it where the line names them."""
    said = one_line(_REMARK.sub("", _LABEL.sub("", _BULLET.sub("", text.removeprefix(speaker)))))
    return f"{speaker}{said}"[:_LONGEST].rstrip(".;,") if said else ""


def _answer(content: str) -> str:
    """Return the text of a reply, or "" if it only asks back or reports how the task ended."""
    text = one_line(content)
    asks = all(one.endswith("?") for one in _SENTENCE.split(text) if len(terms(one)) >= _SHORTEST)
    return "" if asks or _STATUS.match(text) else text[:_LONGEST]


def _kind(sentence: str, role: str, speaker: str) -> NodeType | None:
    is_dump = role == "tool" and not _STATING.search(sentence)
    if is_dump or len(terms(sentence)) < _SHORTEST or _STATUS.match(sentence):
        return None
    if sentence.endswith("?"):
        return "question" if speaker or role == "user" or _ASKING.match(sentence) else None
    said = sentence.removeprefix(speaker)  # the day of a speaker, in brackets, is no formula
    if _FORMULA.search(said) or (role == "assistant" and _INSTRUCTION.match(said)):
        return "procedure"
    return "fact" if len(_stems(said)) >= _TELLING and not _GREETING.fullmatch(said) else None


def _build_statement(kind: NodeType, text: str, at: int, role: str) -> _Said:
    is_plain = kind != "fact" or _STATING.search(text) or _FIGURE.search(text)
    return _Said(Piece(kind, text, _CONFIDENCE[kind] if is_plain else _ONLY_SAID, at), at, role, _stems(text))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in terms(text) if word not in STOPWORDS)


def _topic(goal: str) -> str:
    """Return the topic of a goal: `Review our runway` is about `runway`."""
    text = one_line(goal).rstrip(".!")
    return _ORDER.sub("", text) or text


def _subjects(lines: Sequence[TaskLine]) -> list[str]:
    """Return the things that whole sentences say something of, the most frequent first; no speaker, no order."""
    counted: Counter[str] = Counter()
    for line in lines:
        if line.role != "tool":
            text = " ".join(one for one in _SENTENCE.split(_SPEAKER.sub("", line.content)) if _STATING.search(one))
            counted.update(one.subject for one in triples(text) if not _INSTRUCTION.match(one.subject))
    return [one for one, _ in counted.most_common() if len(one) <= _LONGEST and not _PERIOD.fullmatch(one)]


def _concepts(topic: str, said: Iterable[_Said], subjects: Iterable[str]) -> list[str]:
    """Return the topic, the subjects mentioned, and the recurring two-word phrases, the most frequent first."""
    phrases: Counter[str] = Counter()
    for one in said:
        if one.piece.type != "answer":  # its sentences are counted themselves
            phrases.update(set(_phrases(one.piece.content)))
    known = _stems(topic)
    often = sorted((-count, phrase) for phrase, count in phrases.items() if count >= _COMES_BACK)
    others = [phrase for phrase in (*subjects, *(phrase for _, phrase in often)) if not _stems(phrase) <= known]
    return list(dict.fromkeys([*([topic[:_LONGEST]] if topic else []), *others]))[:_MOST_CONCEPTS]


def _phrases(text: str) -> Iterator[str]:
    for run in _BREAK.split(text):
        for a, b in pairwise(terms(run)):
            if a != b and not {a, b} & STOPWORDS and not _FIGURE.search(a + b) and not _INSTRUCTION.match(a):
                yield f"{a} {b}"


def _answers(said: Sequence[_Said]) -> Iterator[Bond]:
    open_questions: list[_Said] = []
    for one in said:
        if one.piece.type == "question":
            open_questions.append(one)
        elif one.piece.type == "answer":
            for question in open_questions:
                yield Bond("answered_by", question.piece.id, one.piece.id, 1.0, "the reply that followed")
            open_questions = []


def _sequences(said: Sequence[_Said]) -> Iterator[Bond]:
    """Yield the order of the instructions within one message."""
    steps = [one for one in said if one.piece.type == "procedure"]
    for before, after in pairwise(steps):
        if before.line == after.line:
            yield Bond("followed_by", before.piece.id, after.piece.id, 1.0, "in this order")


def _origins(said: Sequence[_Said]) -> Iterator[Bond]:
    """Yield links from assistant sentences to earlier tool results with the same figures."""
    given = [one for one in said if one.role == "tool"]
    for one in said:
        figures = set(_AMOUNT.findall(one.piece.content))
        for source in given:
            shared = figures.intersection(_AMOUNT.findall(source.piece.content))
            if one.role == "assistant" and source.line < one.line and shared:
                told = f"the figures {', '.join(sorted(shared))}"
                yield Bond("derived_from", one.piece.id, source.piece.id, 0.8, told)


def _contradictions(said: Sequence[_Said]) -> Iterator[Bond]:
    """Yield facts that say the opposite of each other, or another amount of the very same thing."""
    facts = list(dict.fromkeys(one.piece for one in said if one.piece.type == "fact"))
    for one, other in combinations(facts, 2):
        if are_opposed(one.content, other.content):
            yield Bond("contradicts", one.id, other.id, 0.8, "both cannot hold")


def _belonging(said: Sequence[_Said], concepts: Sequence[Piece]) -> Iterator[Bond]:
    """Yield the concept that a fact or procedure is most about; without shared words it belongs to the task's."""
    if not concepts:
        return
    stems = {one.id: _stems(one.content) for one in concepts}
    for one in said:
        if one.piece.type not in ("fact", "procedure"):
            continue
        shares = [(len(one.stems & stems[each.id]) / max(1, len(stems[each.id])), each) for each in concepts]
        share, best = max(shares, key=lambda found: found[0])
        yield Bond("part_of", one.piece.id, (best if share else concepts[0]).id, round(max(share, 0.3), 2), "its topic")


def _company(said: Sequence[_Said], concepts: Sequence[Piece]) -> Iterator[Bond]:
    """Yield concepts that are spoken of in one sentence."""
    stems = {one.id: _stems(one.content) for one in concepts}
    for one, other in combinations(concepts, 2):
        together = sum(stems[one.id] | stems[other.id] <= each.stems for each in said)
        if together:
            yield Bond("related_to", one.id, other.id, min(1.0, together / 3), "named together")
