"""A cycle as the typed thoughts of a session (S2), told from ledger, mind and decisions."""

from dataclasses import replace

import pytest

from mabos.configs.errors import UnknownId
from mabos.knowledge.entities.thoughts import SessionThought
from mabos.mind.model import Goal, Learning, Plan, Step
from mabos.society.decisions import Decision, DecisionAnswer
from mabos.society.messages import Message
from mabos.tools.history.sessions import session
from mabos.tools.runtime.services import Caller
from mabos.workspace.clock import iso
from tests.knowledge.entities.test_outside import TRANSCRIPT
from tests.world import NOON, Member

AT = iso(NOON)


def lived(cfo: Member, ended: str = "completed") -> list[SessionThought]:
    """Return the thoughts of a cycle in which a request was heard, planned, served and learnt from."""
    services = cfo.services
    services.mail.deliver(Message("MSG-1", "stakeholder", "cfo", "REQUEST", "Review our runway", AT))
    agent = services.agent("cfo")
    agent.mind.save(
        Goal("G-1", "Review our runway", desire_id="D-MSG-1"),
        Plan("P-1", "G-1", "review", steps=(Step("a", "Count the cash"), Step("b", "Divide it by the burn"))),
        Learning("LRN-I-1", "Runway follows the burn rate.", at=AT),
    )
    note = {"cycle": "C-1", "at": AT}
    why = {"goal": "G-1", "intention": "I-1", "plan": "P-1"}
    services.ledger.append("cfo", "perceive", {"messages": ["MSG-1"]}, **note)
    services.ledger.append("cfo", "deliberate", {"goal": "G-1"}, **note)
    services.ledger.append("cfo", "plan", {"intention": "I-1", "plan": "P-1"}, **note)
    done = {"tool": "fact_query", "why": why, "ok": True, "result": {"text": "cash is 5"}}
    services.ledger.append("cfo", "call", done, **note)
    services.ledger.append("cfo", "learn", {"ended": {"I-1": ended}}, **note)
    return session(agent, "C-1")


def test_a_cycle_is_told_as_typed_thoughts_in_order(cfo: Member) -> None:
    thoughts = lived(cfo)
    assert [(one.number, one.kind) for one in thoughts] == [(1, "O"), (2, "H"), (3, "P"), (4, "E"), (5, "C")]
    assert thoughts[0].text == "REQUEST from stakeholder: Review our runway"
    assert thoughts[2].text == "For Review our runway: Count the cash; Divide it by the burn"
    assert thoughts[3].text == "fact_query: cash is 5"
    assert thoughts[4].text == "Runway follows the burn rate."


@pytest.mark.parametrize(("ended", "outcome"), [("completed", "success"), ("failed", "failure"), ("expired", "")])
def test_a_plan_says_what_became_of_it(cfo: Member, ended: str, outcome: str) -> None:
    assert lived(cfo, ended)[2].outcome == outcome


def test_what_the_owner_decided_is_a_decision_of_the_cycle_that_asked(cfo: Member) -> None:
    lived(cfo)
    decisions = cfo.services.decisions("acme")
    for decision_id, cycle in (("DEC-1", "C-1"), ("DEC-2", "C-9")):
        decisions.request(Decision(decision_id, "cfo", "Raise the price?", cycle=cycle))
        decisions.resolve(decision_id, DecisionAnswer("approve", AT, feedback="Costs rose"))
    (decided,) = [one for one in session(cfo.services.agent("cfo"), "C-1") if one.kind == "D"]
    assert (decided.text, decided.question, decided.rationale) == (
        "Raise the price?: yes",
        "Raise the price?",
        "Costs rose",
    )
    assert decided.decided_by == decisions.one("DEC-1").resolved_by == "stakeholder"


def test_nobody_reads_the_session_of_another_business(cfo: Member) -> None:
    cfo.services.ledger.append("stranger", "learn", {"ended": {}}, at=AT, cycle="C-7")
    assert session(cfo.services.seat(), "C-7") == []  # of an agent that is no more, nothing is left to tell
    with pytest.raises(UnknownId, match="C-7"):
        session(cfo.services.agent("cfo", caller=Caller("agent", "cfo")), "C-7")


def test_a_plan_of_a_template_is_counted_by_the_pattern_of_that_name(cfo: Member) -> None:
    lived(cfo)
    mind = cfo.services.agent("cfo").mind
    assert [one.counted_by for one in session(cfo.services.agent("cfo"), "C-1") if one.kind == "P"] == [""]
    mind.save(replace(mind.plan("P-1"), template="runway_review"))
    plans = [one for one in session(cfo.services.agent("cfo"), "C-1") if one.kind == "P"]
    assert [one.counted_by for one in plans] == ["pattern:runway_review"]


def test_a_session_from_outside_is_kept_once_as_entities_and_as_a_task(cfo: Member) -> None:
    asked = {"action": "extract_from_session", "session_id": "meeting-1"}
    found = cfo.do("knowledge", **asked, text=TRANSCRIPT)
    assert found["read"]["undertakings"][0]["due"] == "2026-02-27"
    person = cfo.do("knowledge", action="get_entity", entity="concept:kim-lee")
    assert "undertook by 2026-02-27: send the contract by Friday" in {one["content"] for one in person["observations"]}
    assert ("Decision", "Kim Lee") in {(one["type"], one["properties"].get("decided_by")) for one in found["entities"]}
    before = cfo.do("knowledge", action="stats")
    assert cfo.do("knowledge", **asked, text=TRANSCRIPT)["created"] == cfo.do("knowledge", **asked)["created"] == 0
    assert cfo.do("knowledge", action="stats") == before
    assert cfo.do("mem:retrieve", query="Who sends the contract?")["nodes"][0]["source"]["taskId"] == "meeting-1"
    assert cfo.refused("knowledge", action="extract_from_session", session_id="unknown")[0] == "unknown_id"


def test_a_session_in_the_printed_notation_gives_what_its_letters_say(cfo: Member) -> None:
    asked = {"action": "extract_from_session", "session_id": "printed"}
    text = "S1|O|We looked at it\nS2|X|When a query is slow: profile it, add an index\nS3|C|An index was missing"
    found = cfo.do("knowledge", **asked, text=text)
    assert {one["type"] for one in found["entities"]} == {"Insight", "Pattern"}
    assert "S3|" not in str(found["entities"])
    assert cfo.do("knowledge", **asked)["created"] == 0


def test_a_private_session_is_no_task_and_a_cycle_takes_no_text(cfo: Member) -> None:
    asked = {"action": "extract_from_session", "text": TRANSCRIPT}
    cfo.do("knowledge", **asked, session_id="talk-1", visibility="agent-private")
    assert cfo.services.ledger_index().task("talk-1") is None
    lived(cfo)
    assert cfo.refused("knowledge", **asked, session_id="C-1")[1] == "session_id"


def test_two_of_one_name_about_whom_nothing_agrees_are_named_as_perhaps_two(cfo: Member) -> None:
    asked = {"action": "extract_from_session"}
    said = ["Kim Lee is the buyer of Globex.", "Kim Lee is a plumber from Leeds.", "Kim Lee is a plumber."]
    told = [
        cfo.do("knowledge", **asked, session_id=f"call-{n}", text=f"# Call\n\n{text}\n") for n, text in enumerate(said)
    ]
    assert [any("concept:kim-lee" in one for one in each["notices"]) for each in told] == [False, True, False]
