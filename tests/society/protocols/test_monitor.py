"""The protocol monitor accepts what the FIPA diagrams draw, and names the rule that anything else breaks."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.society.messages import Message
from mabos.society.protocols import PROTOCOLS, Exchange, judge, protocol_named, replay_exchange, thread
from mabos.workspace.clock import parse_time
from tests.society.protocols.traces import calls, legal, minute, said

LEGAL = st.one_of([*(legal(name) for name in PROTOCOLS), calls()])

CALL = ("ceo CFP cfo", "cfo PROPOSE ceo")
AWARDED = (*CALL, "ceo ACCEPT cfo")
DONE = (*AWARDED, "cfo INFORM ceo")

ILLEGAL: dict[str, tuple[str, tuple[str, ...], str]] = {
    # kind: protocol, the conversation, the rule that its last message breaks
    "call: a second proposal": ("contract-net", (*CALL, "cfo PROPOSE ceo"), "once"),
    "call: a refusal after a proposal": ("contract-net", (*CALL, "cfo REFUSE ceo"), "order"),
    "call: a proposal after a refusal": ("contract-net", ("ceo CFP cfo", "cfo REFUSE ceo", "cfo PROPOSE ceo"), "ended"),
    "call: a late proposal": ("contract-net", ("ceo CFP cfo by=60", "cfo PROPOSE ceo at=61"), "deadline"),
    "call: a late refusal": ("contract-net", ("ceo CFP cfo by=60", "cfo REFUSE ceo at=61"), "deadline"),
    "call: a late proposal accepted": (
        "contract-net", ("ceo CFP cfo by=60", "cfo PROPOSE ceo at=61", "ceo ACCEPT cfo at=62"), "order",
    ),
    "call: a proposal to nobody's call": ("contract-net", ("cfo PROPOSE ceo",), "opening"),
    "call: a proposal of one who was not called": ("contract-net", ("ceo CFP cfo", "cto PROPOSE ceo"), "opening"),
    "call: a proposal to another bidder": (
        "contract-net", ("ceo CFP cfo", "ceo CFP cto", "cto PROPOSE cfo"), "party",
    ),
    "call: an award of one who was not called": ("contract-net", (*CALL, "ceo ACCEPT cto"), "opening"),
    "call: an award without a proposal": ("contract-net", ("ceo CFP cfo", "ceo ACCEPT cfo"), "order"),
    "call: an award after a refusal": ("contract-net", ("ceo CFP cfo", "cfo REFUSE ceo", "ceo ACCEPT cfo"), "ended"),
    "call: a second award to one": ("contract-net", (*AWARDED, "ceo ACCEPT cfo"), "once"),
    "call: turned down after the award": ("contract-net", (*AWARDED, "ceo REJECT cfo"), "order"),
    "call: awarded after being turned down": ("contract-net", (*CALL, "ceo REJECT cfo", "ceo ACCEPT cfo"), "ended"),
    "call: turned down twice": ("contract-net", (*CALL, "ceo REJECT cfo", "ceo REJECT cfo"), "ended"),
    "call: the bidder awards itself": ("contract-net", (*CALL, "cfo ACCEPT ceo"), "turn"),
    "call: the caller bids": ("contract-net", ("ceo CFP cfo", "ceo PROPOSE cfo"), "turn"),
    "call: the caller reports": ("contract-net", (*AWARDED, "ceo INFORM cfo"), "turn"),
    "call: a result before the award": ("contract-net", (*CALL, "cfo INFORM ceo"), "order"),
    "call: a result of one turned down": ("contract-net", (*CALL, "ceo REJECT cfo", "cfo INFORM ceo"), "ended"),
    "call: a result twice": ("contract-net", (*DONE, "cfo INFORM ceo"), "ended"),
    "call: a failure after the result": ("contract-net", (*DONE, "cfo FAILURE ceo"), "ended"),
    "call: a second call": ("contract-net", ("ceo CFP cfo", "ceo CFP cfo"), "once"),
    "call: an agreement": ("contract-net", (*AWARDED, "cfo AGREE ceo"), "act"),
    "request: an answer to no request": ("request", ("cfo AGREE ceo",), "opening"),
    "request: a result after a refusal": ("request", ("ceo REQUEST cfo", "cfo REFUSE ceo", "cfo INFORM ceo"), "ended"),
    "request: refused after agreeing": ("request", ("ceo REQUEST cfo", "cfo AGREE ceo", "cfo REFUSE ceo"), "order"),
    "request: agreed twice": ("request", ("ceo REQUEST cfo", "cfo AGREE ceo", "cfo AGREE ceo"), "once"),
    "request: agreed after the result": ("request", ("ceo REQUEST cfo", "cfo INFORM ceo", "cfo AGREE ceo"), "ended"),
    "request: failed after the result": ("request", ("ceo REQUEST cfo", "cfo INFORM ceo", "cfo FAILURE ceo"), "ended"),
    "request: agreed by the one who asks": ("request", ("ceo REQUEST cfo", "ceo AGREE cfo"), "turn"),
    "request: asked twice": ("request", ("ceo REQUEST cfo", "ceo REQUEST cfo"), "once"),
    "request: asked back in the same conversation": ("request", ("ceo REQUEST cfo", "cfo REQUEST ceo"), "turn"),
    "request: a late answer": ("request", ("ceo REQUEST cfo by=60", "cfo AGREE ceo at=61"), "deadline"),
    "request: due before it was sent": ("request", ("ceo REQUEST cfo at=60 by=59",), "deadline"),
    "request: due at no time": ("request", ("ceo REQUEST cfo by=soon",), "time"),
    "request: answered at no time": ("request", ("ceo REQUEST cfo by=60", "cfo AGREE ceo at=soon"), "time"),
    "request: answered by a third": ("request", ("ceo REQUEST cfo", "cto AGREE ceo"), "opening"),
    "request: a bid": ("request", ("ceo REQUEST cfo", "cfo PROPOSE ceo"), "act"),
    "request: one's own": ("request", ("ceo REQUEST ceo",), "self"),
    "query: answered twice": ("query", ("ceo QUERY cfo", "cfo INFORM ceo", "cfo INFORM ceo"), "ended"),
    "query: a request in it": ("query", ("ceo QUERY cfo", "ceo REQUEST cfo"), "act"),
    "subscribe: news before it is asked for": ("subscribe", ("cfo INFORM ceo",), "opening"),
    "subscribe: news after a refusal": (
        "subscribe", ("ceo SUBSCRIBE cfo", "cfo REFUSE ceo", "cfo INFORM ceo"), "ended",
    ),
    "subscribe: news after a failure": (
        "subscribe", ("ceo SUBSCRIBE cfo", "cfo AGREE ceo", "cfo FAILURE ceo", "cfo INFORM ceo"), "ended",
    ),
    "subscribe: refused in the middle": (
        "subscribe", ("ceo SUBSCRIBE cfo", "cfo AGREE ceo", "cfo INFORM ceo", "cfo REFUSE ceo"), "order",
    ),
    "subscribe: news after the cancellation": (
        "subscribe",
        ("ceo SUBSCRIBE cfo", "cfo AGREE ceo", "ceo CANCEL cfo", "cfo INFORM ceo", "cfo INFORM ceo"),
        "ended",
    ),
    "subscribe: subscribed twice": ("subscribe", ("ceo SUBSCRIBE cfo", "cfo AGREE ceo", "ceo SUBSCRIBE cfo"), "once"),
    "propose: answered by the proposer": ("propose", ("ceo PROPOSE cfo", "ceo ACCEPT cfo"), "turn"),
    "propose: taken and turned down": ("propose", ("ceo PROPOSE cfo", "cfo ACCEPT ceo", "cfo REJECT ceo"), "ended"),
    "cancel: of nothing": ("request", ("ceo CANCEL cfo",), "opening"),
    "cancel: by the one who is asked": ("request", ("ceo REQUEST cfo", "cfo CANCEL ceo"), "turn"),
    "cancel: twice": ("request", ("ceo REQUEST cfo", "ceo CANCEL cfo", "ceo CANCEL cfo"), "cancel"),
    "cancel: twice, as a protocol": ("cancel", ("ceo CANCEL cfo", "ceo CANCEL cfo"), "once"),
    "cancel: of what is over": ("request", ("ceo REQUEST cfo", "cfo INFORM ceo", "ceo CANCEL cfo"), "ended"),
    "cancel: agreed to": ("request", ("ceo REQUEST cfo", "ceo CANCEL cfo", "cfo AGREE ceo"), "cancel"),
    "cancel: answered by the one who cancels": (
        "request", ("ceo REQUEST cfo", "ceo CANCEL cfo", "ceo INFORM cfo"), "cancel",
    ),
    "cancel: a result after it": (
        "request", ("ceo REQUEST cfo", "ceo CANCEL cfo", "cfo INFORM ceo", "cfo INFORM ceo"), "ended",
    ),
    "unclear: before anything was said": ("request", ("cfo NOT_UNDERSTOOD ceo",), "answer"),
    "unclear: one's own message": ("request", ("ceo REQUEST cfo", "ceo NOT_UNDERSTOOD cfo"), "answer"),
    "unclear: said twice": ("query", ("ceo QUERY cfo", "cfo NOT_UNDERSTOOD ceo", "ceo NOT_UNDERSTOOD cfo"), "ended"),
    "unclear: and yet a result": ("query", ("ceo QUERY cfo", "cfo NOT_UNDERSTOOD ceo", "cfo INFORM ceo"), "ended"),
    "any: an id twice": ("request", ("ceo REQUEST cfo", "cfo AGREE ceo id=MSG-1"), "id"),
    "any: an answer to a message elsewhere": ("request", ("ceo REQUEST cfo", "cfo AGREE ceo reply=77"), "reply"),
    "any: another protocol half way": ("request", ("ceo REQUEST cfo", "cfo AGREE ceo protocol=query"), "protocol"),
    "any: another conversation": ("request", ("ceo REQUEST cfo", "cfo AGREE ceo conversation=C-2"), "conversation"),
    "any: a word that is no performative": ("request", ("ceo REQUEST cfo", "cfo SHOUT ceo"), "act"),
}  # fmt: skip


def test_there_are_at_least_thirty_kinds_of_illegal_conversation() -> None:
    assert len(ILLEGAL) >= 30


@settings(max_examples=60, deadline=None)
@given(LEGAL)
def test_every_legal_conversation_is_accepted(messages: list[Message]) -> None:
    assert judge(messages).violations == ()


@settings(max_examples=60, deadline=None)
@given(LEGAL)
def test_a_legal_conversation_is_legal_at_every_point_of_it(messages: list[Message]) -> None:
    for length in range(1, len(messages) + 1):
        assert not judge(messages[:length]).violations


@pytest.mark.parametrize("kind", ILLEGAL)
def test_every_kind_of_illegal_conversation_is_rejected_at_the_message_that_breaks_a_rule(kind: str) -> None:
    protocol, lines, rule = ILLEGAL[kind]
    messages = said(lines, protocol)
    broken = {one.message_id: one for one in judge(messages, protocol=protocol).violations}
    assert broken[messages[-1].id].rule == rule
    assert broken[messages[-1].id].expected
    assert not judge(messages[:1], protocol=protocol).violations or len(messages) == 1


@settings(max_examples=60, deadline=None)
@given(LEGAL, st.data())
def test_what_breaks_a_rule_changes_nothing_for_what_follows(messages: list[Message], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(messages)))
    other = messages[0].to
    stray = replace(messages[0], id="MSG-stray", sender=other, to=messages[0].sender, performative="SHOUT", reply_by="")
    found = judge([*messages[:place], stray, *messages[place:]])
    assert [one.message_id for one in found.violations] == ["MSG-stray"]
    whole = judge(messages)
    assert {name: side.state for name, side in found.sides.items()} == {
        name: side.state for name, side in whole.sides.items()
    }


def test_a_verdict_names_the_message_the_rule_and_what_was_expected() -> None:
    messages = said(["ceo CFP cfo by=60", "cfo PROPOSE ceo at=61"], "contract-net")
    (found,) = judge(messages).violations
    assert (found.message_id, found.rule) == ("MSG-2", "deadline")
    assert "PROPOSE MSG-2 from cfo to ceo: answers were due by 2026-03-02T10:00:00Z" in found.said
    assert found.expected == "PROPOSE or REFUSE from cfo by 2026-03-02T10:00:00Z"
    assert str(found) == f"{found.said} (deadline); expected {found.expected}"


def test_a_late_proposal_may_only_be_turned_down() -> None:
    lines = ["ceo CFP cfo by=60", "cfo PROPOSE ceo at=61", "ceo REJECT cfo at=62"]
    found = judge(said(lines, "contract-net"))
    assert [one.message_id for one in found.violations] == ["MSG-2"]
    assert found.state("cfo") == "rejected"


def test_every_side_of_a_call_stands_for_itself() -> None:
    lines = ["ceo CFP cfo", "ceo CFP cto", "ceo CFP hr", "cfo PROPOSE ceo", "cto REFUSE ceo", "ceo ACCEPT cfo"]
    found = judge(said(lines, "contract-net"))
    assert {name: found.state(name) for name in ("cfo", "cto", "hr", "legal")} == {
        "cfo": "accepted", "cto": "refused", "hr": "asked", "legal": "new",
    }  # fmt: skip
    assert found.sides["cfo"].expected() == "INFORM or FAILURE from cfo"


def test_a_question_left_unanswered_expires() -> None:
    (side,) = judge(said(["ceo QUERY cfo by=60"], "query")).sides.values()
    assert not side.is_expired(parse_time(minute(60)))
    assert side.is_expired(parse_time(minute(61)))
    (answered,) = judge(said(["ceo QUERY cfo by=60", "cfo AGREE ceo"], "query")).sides.values()
    assert not answered.is_expired(parse_time(minute(61)))


def test_protocols_are_found_as_fipa_writes_them_and_others_are_not_watched() -> None:
    assert protocol_named("FIPA-Contract-Net") is PROTOCOLS["contract-net"]
    assert protocol_named("decision") is None
    with pytest.raises(InvalidArgument, match="decision"):
        judge(said(["ceo REQUEST cfo"], "decision"))


# --- out of two inboxes


def halves(messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """Return what each side has said."""
    mine = messages[0].sender
    return [one for one in messages if one.sender == mine], [one for one in messages if one.sender != mine]


def answering(messages: list[Message]) -> list[Message]:
    """Return the messages, each naming what it answers: the last word of the other, or one's own that is withdrawn."""
    told: list[Message] = []
    for one in messages:
        other = [before.id for before in told if before.sender != one.sender]
        answered = messages[0].id if one.performative == "CANCEL" else other[-1] if other else ""
        told.append(replace(one, reply_to=answered if told else ""))
    return told


PAIRS = st.one_of([legal(name) for name in PROTOCOLS])


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.booleans(), st.booleans())
def test_two_inboxes_give_the_conversation_even_where_the_clock_stands_still(
    messages: list[Message], still: bool, swapped: bool
) -> None:
    if still:
        messages = [replace(one, timestamp=minute(0)) for one in answering(messages)]
    one, other = halves(messages)
    exchange, strays = replay_exchange(PROTOCOLS[messages[0].protocol], *((other, one) if swapped else (one, other)))
    assert strays == {}
    assert exchange is not None
    assert (exchange.initiator, exchange.state) == (
        messages[0].sender,
        next(iter(judge(messages).sides.values())).state,
    )


@pytest.mark.parametrize("kind", [one for one in ILLEGAL if ILLEGAL[one][2] in ("deadline", "turn", "act", "once")])
def test_two_inboxes_show_what_is_illegal_too(kind: str) -> None:
    protocol, lines, rule = ILLEGAL[kind]
    messages = said(lines, protocol)
    _, strays = replay_exchange(PROTOCOLS[protocol], *halves(messages))
    assert rule in {one.rule for one in strays.values()}


def test_nothing_said_is_no_conversation() -> None:
    assert replay_exchange(PROTOCOLS["request"], [], []) == (None, {})
    assert Exchange(PROTOCOLS["request"], "ceo", "cfo").expected() == "REQUEST from ceo"


@settings(max_examples=60, deadline=None)
@given(LEGAL)
def test_a_thread_is_told_in_time_and_no_answer_before_its_question(messages: list[Message]) -> None:
    asked, answered = replace(messages[0], timestamp=minute(50)), replace(messages[0], id="MSG-0", reply_to="MSG-1")
    told = thread([answered], [asked], messages[1:], [asked])
    assert [one.id for one in told if one.id in ("MSG-0", "MSG-1")] == ["MSG-1", "MSG-0"]
    assert len(told) == len(messages) + 1
