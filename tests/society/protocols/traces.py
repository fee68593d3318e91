"""Conversations as the FIPA diagrams draw them, written down without the tables of the product: legal by construction.

A line is `sender act recipient`, with options behind it: `reply=1` answers the first line, `at=90` is said in minute
90, `by=60` wants an answer by minute 60, `protocol=` and `conversation=` state something else than the trace does.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from mabos.society.messages import Message
from mabos.workspace.clock import iso

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
DUE = 1000


def minute(number: int) -> str:
    return iso(START + timedelta(minutes=number))


def said(lines: Sequence[str], protocol: str) -> list[Message]:
    """Return the messages of a conversation; line n is said in minute n and has the id `MSG-n`."""
    return [_message(line, number, protocol) for number, line in enumerate(lines, start=1)]


def _message(line: str, number: int, protocol: str) -> Message:
    sender, performative, to, *given = line.split()
    more = dict(one.split("=", 1) for one in given)
    reply = more.get("reply", "")
    at, by = more.get("at", str(number)), more.get("by", "")
    return Message(
        id=more.get("id", f"MSG-{number}"), sender=sender, to=to, performative=performative,
        content="Concerning the budget", timestamp=minute(int(at)) if at.isdecimal() else at,
        reply_to=f"MSG-{reply}" if reply else "", conversation_id=more.get("conversation", "C-1"),
        protocol=more.get("protocol", protocol), reply_by=minute(int(by)) if by.isdecimal() else by,
    )  # fmt: skip


@st.composite
def legal(draw: st.DrawFn, protocol: str) -> list[Message]:
    """Draw a legal conversation between ceo and cfo, possibly cut short, cancelled, or not understood."""
    by = f" by={DUE}" if draw(st.booleans()) else ""
    lines = [*draw(_OPENINGS[protocol])]
    lines[0] += by
    return said(draw(_ended(lines, cancels=protocol != "cancel")), protocol)


@st.composite
def calls(draw: st.DrawFn) -> list[Message]:
    """Draw a legal call for proposals to several, whose sides run on independently of each other."""
    names = draw(st.lists(st.sampled_from(["cfo", "cto", "coo", "cmo", "hr"]), min_size=1, unique=True))
    by = f" by={DUE}" if draw(st.booleans()) else ""
    sides = [[line.replace("cfo", name) for line in draw(_ended(draw(_CALLED)))] for name in names]
    for side in sides:
        side[0] += by
    lines = []
    while any(sides):
        side = draw(st.sampled_from([one for one in sides if one]))
        lines.append(side.pop(0))
    return said(lines, "contract-net")


@st.composite
def _ended(draw: st.DrawFn, lines: list[str], *, cancels: bool = True) -> list[str]:
    """Draw how a conversation really ends: as it should, early, cancelled, or with a NOT_UNDERSTOOD."""
    ways = ["whole", "early", "unclear", *(["cancel", "kept"] if cancels else [])]
    how = draw(st.sampled_from(ways))
    cut = draw(st.integers(1, len(lines)))
    over = cut == len(lines) and not lines[-1].endswith("...")
    head = [line.removesuffix(" ...") for line in lines[:cut]]
    if how == "early":
        return head
    if how == "unclear":
        _, _, to = head[-1].split()[:3]
        return [*head, f"{to} NOT_UNDERSTOOD {head[-1].split()[0]}"]
    if how == "cancel" and not over:
        answered = draw(st.sampled_from([[], ["cfo INFORM ceo"], ["cfo NOT_UNDERSTOOD ceo"]]))
        return [*head, "ceo CANCEL cfo", *answered]
    rest = [line.removesuffix(" ...") for line in lines[cut:]]
    if how == "kept" and not over:
        return [*head, "ceo CANCEL cfo", "cfo FAILURE ceo", *rest]
    return [*head, *rest]


_RESULT = st.sampled_from(["cfo INFORM ceo", "cfo FAILURE ceo"])
_AGREED = st.tuples(st.sampled_from([[], ["cfo AGREE ceo"]]), _RESULT).map(lambda parts: [*parts[0], parts[1]])
_ANSWERED = st.one_of(st.just(["cfo REFUSE ceo"]), _AGREED)


def _opened(*performatives: str) -> st.SearchStrategy[list[str]]:
    asked = st.sampled_from([f"ceo {one} cfo" for one in performatives])
    return st.tuples(asked, _ANSWERED).map(lambda parts: [parts[0], *parts[1]])


_STREAM = st.tuples(
    st.sampled_from([["cfo AGREE ceo ..."], ["cfo INFORM ceo ..."]]),
    st.integers(0, 4).map(lambda number: ["cfo INFORM ceo ..."] * number),
    st.sampled_from([[], ["cfo FAILURE ceo"]]),
).map(lambda parts: ["ceo SUBSCRIBE cfo", *parts[0], *parts[1], *parts[2]])
_REFUSED = st.sampled_from(["REFUSE", "FAILURE"]).map(lambda one: ["ceo SUBSCRIBE cfo", f"cfo {one} ceo"])
_CALLED = st.one_of(
    st.just(["ceo CFP cfo", "cfo REFUSE ceo"]),
    st.just(["ceo CFP cfo", "cfo PROPOSE ceo", "ceo REJECT cfo"]),
    _RESULT.map(lambda result: ["ceo CFP cfo", "cfo PROPOSE ceo", "ceo ACCEPT cfo", result]),
)
_OPENINGS = {
    "request": _opened("REQUEST"),
    "query": _opened("QUERY", "QUERY_REF"),
    "subscribe": st.one_of(_STREAM, _REFUSED),
    "propose": st.sampled_from(["ACCEPT", "REJECT"]).map(lambda one: ["ceo PROPOSE cfo", f"cfo {one} ceo"]),
    "cancel": _RESULT.map(lambda result: ["ceo CANCEL cfo", result]),
    "contract-net": _CALLED,
}
