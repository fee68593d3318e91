"""Sentences of a message with their acts, grouped with those that qualify, tag or introduce them.

group_pieces([Piece("Rewash.", "small_talk", 0.6, "rewash."), Piece("Which week was the worst?", "question", 0.9)])
"""

import re
from dataclasses import dataclass, field, replace

from mabos.language.interpreter import Context
from mabos.language.letter_text import ASIDE, SEES_FIRST, TO_THE_WRITER
from mabos.language.letters import LETTERS
from mabos.language.orders import operations_of
from mabos.language.request import SpeechAct
from mabos.language.sentences import asks_for_rest, begins_with_verb, opening, plain
from mabos.language.wordlists import form, order_form, word_lists

SURE = 0.45
"""A sentence whose best act is below this probability is unclear."""
IMPERATIVE = 0.6
"""The probability of a bare imperative being what its form says, against an uncertain reading."""
_CONDITION = order_form("pieces.condition")
_POINTING = order_form("pieces.pointing")
_LETTER = re.compile(r"\b(subject|text|wording|message|body|title|saying|as follows)\s*:", re.IGNORECASE)
_KEEP_IT = order_form("pieces.keep_it")
TAG = order_form("pieces.tag")
_READS = order_form("pieces.reads")
PROJECT = order_form("pieces.project")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence with its act and the probability of that act."""

    text: str
    act: SpeechAct
    share: float
    flat: str = ""


@dataclass(slots=True)
class Group:
    """Sentences that form one reading; the act of the first decides."""

    act: SpeechAct
    pieces: list[Piece] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its sentences."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def share(self) -> float:
        """The probability of its act: that of its most certain sentence with that act."""
        return max((piece.share for piece in self.pieces if piece.act == self.act), default=0.0)


def with_remarks(pieces: list[Piece], context: Context) -> list[Piece]:
    """Return the sentences; those that only accompany others become small talk, or a report before a question.

    A statement that asks for nothing and changes nothing earlier is no reason to ask for its meaning.
    """
    if len(pieces) < 2:
        return pieces
    is_first = not any(one.act == "order" for one in context.earlier)
    others = [one.act for one in pieces if not _is_remark(one, is_first=is_first)]
    if not others or len(others) == len(pieces):
        return pieces
    act: SpeechAct = "small_talk" if set(others) == {"small_talk"} else "report"
    return [
        replace(one, act=act, share=max(one.share, SURE)) if _is_remark(one, is_first=is_first) else one
        for one in pieces
    ]


def _is_remark(piece: Piece, *, is_first: bool) -> bool:
    """Return whether an uncertain sentence is a plain statement: no question, no verb in front, nothing demanded."""
    unfounded = is_first and piece.act in ("correction", "withdrawal", "answer")
    if not (piece.share < SURE or unfounded) or piece.act in ("question", "small_talk", "order", "standing"):
        return False
    is_open = piece.text.rstrip().endswith("?") or begins_with_verb(piece.text) or form("demands").search(piece.flat)
    return not is_open and not _LETTER.search(piece.text)


def group_pieces(pieces: list[Piece]) -> list[Group]:
    """Return the sentences in groups, in order; greetings and thanks next to something else are dropped."""
    if all(piece.act == "small_talk" for piece in pieces):
        return [Group("small_talk", pieces)]
    groups: list[Group] = []
    leads: list[Piece] = []
    for piece in pieces:
        last = groups[-1] if groups else None
        if piece.act == "question" and leads:
            groups.append(Group("question", [*leads, piece]))
            leads = []
            continue
        leads = [piece] if piece.act == "small_talk" and _names_subject(piece.text) else []
        if last is not None and _belongs(piece, last):
            last.pieces.append(piece)
        elif last is not None and _leads_to(piece, last):
            last.act = piece.act
            last.pieces.append(piece)
        elif piece.act != "small_talk":
            groups.append(Group(piece.act, [piece]))
    return groups


def _names_subject(sentence: str) -> bool:
    """Return whether a remark gives the subject of the question after it: "Rewash.", "Dora came by."."""
    words = re.findall(r"[\w'’-]+", sentence)
    if len(words) <= _FEW_WORDS and not form("greets").search(plain(sentence)):
        return True
    capitals = [word[0].isupper() and len(word) > 2 for word in words]
    return any(capitals[1:])


_FEW_WORDS = 3
_COURTEOUS = re.compile(r"\b(?:thank\w*|thx|cheers|ta|please|pls|ok|okay|great|bye|hello|hi|good)\b")


def _leads_to(piece: Piece, group: Group) -> bool:
    """Return whether the group before only prepares a sentence: it gives its subject, or where to look."""
    if group.act == "order" and piece.act == "question":
        return len(group.pieces) == 1 and bool(_READS.search(group.pieces[0].flat))
    if group.act != "report":
        return False
    return piece.act == "question" or (piece.act == "order" and bool(_POINTING.search(piece.flat)))


def _belongs(piece: Piece, group: Group) -> bool:
    """Return whether a sentence belongs to the group before it."""
    is_name = group.act == "question" and piece.act == "small_talk" and len(piece.text.split()) <= _FEW_WORDS
    if TAG.match(piece.flat) or (is_name and not _COURTEOUS.search(piece.flat)):  # "How much did we brew? Hectolitres"
        return True
    if group.act == "order":
        return _qualifies(piece, group)
    if group.act == "question":
        return asks_for_rest(piece.text) or (
            piece.act != "small_talk" and (_informs(piece) or piece.act in ("report", "answer"))
        )
    if group.act in ("correction", "standing", "withdrawal", "answer"):
        if piece.act in ("small_talk", "question"):
            return False
        says_why = group.act == "standing" and piece.share < IMPERATIVE and not begins_with_verb(piece.text)
        says_why = says_why or (group.act == "standing" and bool(_KEEP_IT.match(piece.flat)))
        is_like = piece.act == group.act or piece.act in ("answer", "report")
        return says_why or is_like or bool(_CONDITION.search(piece.flat))
    return group.act == "report" and piece.act in ("report", "answer")


def _informs(piece: Piece) -> bool:
    """Return whether a sentence asks for more about a question ("Tell me what speaks for it")."""
    words = opening(piece.flat)
    return (
        bool(words)
        and words[0] in word_lists().informing
        and bool(_POINTING.search(piece.flat) or piece.act == "question")
    )


_CONJUNCTION = re.compile(r"\bthat (?=(?:the|our|my|we|i|you|they|there|he|she|an?|his|her|their)\b)")


def _qualifies(piece: Piece, group: Group) -> bool:
    """Return whether a sentence says how, when or whether an order before it is carried out."""
    if _LETTER.search(group.text) or _LETTER.search(piece.text):
        return True
    if piece.act == "question" or (piece.act in ("small_talk", "withdrawal") and not _CONDITION.search(piece.flat)):
        return False
    if piece.act == "standing":
        return not form("scope").search(piece.flat)
    in_project = PROJECT.search(plain(group.text)) and _CONDITION.search(piece.flat)
    if piece.act == "order" and begins_with_verb(piece.text) and not in_project:
        pointing = _POINTING.search(_CONJUNCTION.sub(" ", piece.flat))  # "that the rent is due" points to nothing
        return bool(pointing) and not re.search(r'"name"|\$0|0 dollars', piece.flat)
    return True


def with_letter_text(sentences: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """Return sentences, joining those that continue the text of a letter, as "Write to all members: ..."."""
    for at, one in enumerate(sentences[:-1]):
        if _LETTER_WITH_TEXT.match(one) and operations_of(one, context)[0][0] in LETTERS:
            end = at + 1
            while end < len(sentences) and not _is_to_writer(sentences[end]):
                end += 1
            return (*sentences[:at], " ".join(sentences[at:end]), *sentences[end:])
    return sentences


_LETTER_WITH_TEXT = order_form("letter_text.letter_with_text")


def _is_to_writer(sentence: str) -> bool:
    """Return whether a sentence behind the text of a letter is meant for its writer, or asks for something else."""
    is_aside = ASIDE.match(sentence) or SEES_FIRST.match(sentence) or TO_THE_WRITER.match(sentence)
    return bool(is_aside) or begins_with_verb(sentence) or sentence.rstrip().endswith("?")
