from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.backends.chat import ForbiddenModelCall, ScriptedModel
from mabos.configs.errors import UnknownId
from mabos.society.decisions import DecisionAnswer, Resolution
from mabos.society.governance import first_profile, write_profile
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock, iso
from tests.tools.workspaces import Bench, broken, opened
from tests.world import write_company

CFO = Caller("agent", "cfo")
Given = dict[str, Any]


class Company:
    """A workspace with the bench's tools, called by the CFO unless a test says otherwise."""

    def __init__(self, root: Path, **layout: Any) -> None:
        self.root = write_company(root, **layout)
        self.bench = Bench()
        self.services: Services = opened(self.root, self.bench)

    def call(self, tool: str, arguments: Given, *, caller: Caller = CFO, **more: Any) -> Outcome:
        return call(self.services, tool, arguments, caller=caller, **more)

    def resolve(self, outcome: Outcome, resolution: Resolution = "approve", **more: Any) -> None:
        answer = DecisionAnswer(resolution, iso(self.services.clock()), **more)
        self.services.decisions("acme").resolve(outcome.decision_id, answer)

    def profile(self, **changes: Any) -> None:
        default = first_profile(self.services.settings.governance)
        write_profile(self.root / "businesses" / "acme", changes, default)

    def kinds(self, agent_id: str = "cfo") -> list[str]:
        return [entry.kind for entry in self.services.ledger.entries(agent_id)]

    def later(self, **by: float) -> None:
        assert isinstance(self.services.clock, SteppedClock)
        self.services.clock.advance(timedelta(**by))


@pytest.fixture
def company(tmp_path: Path) -> Company:
    return Company(tmp_path)


def person(company: Company, tool: str, arguments: Given, **more: Any) -> Outcome:
    return call(company.services, tool, arguments, **more)


# --- form


def test_a_result_and_an_error_have_their_published_form(company: Company) -> None:
    good = company.call("note_read", {}).as_json()
    assert good == {"ok": True, "result": {"agent": "cfo", "notes": 0, "subject": ""}}
    bad = company.call("note_write", {"text": 5}).as_json()
    assert (bad["ok"], bad["error"]["code"], bad["error"]["argument"]) == (False, "invalid_argument", "text")


def test_an_unknown_tool_is_answered_with_the_nearest(company: Company) -> None:
    found = company.call("note_reed", {})
    assert (found.code, found.argument) == ("unknown_id", "tool")
    assert "did you mean 'note_read'?" in found.message


def test_an_alias_is_accepted(company: Company) -> None:
    assert company.call("notes", {}).ok


def test_bad_arguments_write_nothing(company: Company) -> None:
    assert not company.call("note_write", {"text": "x", "colour": "red"}).ok
    assert company.bench.ran == []
    assert company.kinds() == []


def test_a_tool_never_raises_at_its_caller(company: Company) -> None:
    company.bench.before = broken
    found = company.call("note_write", {"text": "x"})
    assert (found.code, found.message) == ("internal", "note_write failed: RuntimeError: out of paper")
    assert company.kinds() == ["call", "outcome"]


def test_a_forbidden_model_call_is_not_hidden_in_an_answer(company: Company) -> None:
    def ask() -> None:
        raise ForbiddenModelCall("no model here")

    company.bench.before = ask
    with pytest.raises(ForbiddenModelCall):
        company.call("note_write", {"text": "x"})


# --- identity


def test_an_agent_may_name_itself_or_nobody(company: Company) -> None:
    assert company.call("note_read", {"agent_id": "cfo"}).result["agent"] == "cfo"
    assert company.call("note_read", {}, agent_id="cfo").result["agent"] == "cfo"


@pytest.mark.parametrize(
    ("arguments", "more", "argument"),
    [
        ({"agent_id": "ceo"}, {}, "agent_id"),
        ({}, {"agent_id": "ceo"}, "agent_id"),
        ({"agent_id": "ceo"}, {"agent_id": "cfo"}, "agent_id"),
        ({"agent_id": "cfo"}, {"agent_id": "ceo"}, "agent_id"),
    ],
)
def test_an_agent_may_not_name_another(company: Company, arguments: Given, more: Given, argument: str) -> None:
    found = company.call("note_write", {"text": "x", **arguments}, **more)
    assert (found.code, found.argument) == ("refused", argument)
    assert company.bench.ran == []


def test_nor_may_it_speak_as_another(company: Company) -> None:
    found = company.call("as_other", {"from": "ceo"})
    assert (found.code, found.argument) == ("refused", "from")
    assert company.call("as_other", {}).result["given"] == "cfo"
    assert company.call("as_other", {"from": "cfo"}).result["speaker"] == "cfo"


def test_a_person_may_name_any_agent_and_speak_as_any(company: Company) -> None:
    assert person(company, "note_read", {"agent_id": "ceo"}).result["agent"] == "ceo"
    assert person(company, "note_read", {}, agent_id="cto").result["agent"] == "cto"
    assert person(company, "as_other", {"from": "ceo"}).result["speaker"] == "ceo"


def test_a_person_who_names_two_agents_is_asked_which(company: Company) -> None:
    found = person(company, "note_read", {"agent_id": "ceo"}, agent_id="cto")
    assert (found.code, found.argument) == ("invalid_argument", "agent_id")
    for given, agent_id in (({"from": "ceo"}, "cto"), ({"from": "ceo", "agent_id": "cto"}, None)):
        found = person(company, "as_other", given, agent_id=agent_id)
        assert (found.code, found.argument) == ("invalid_argument", "from")


def test_without_an_agent_a_tool_that_needs_none_works_and_another_says_what_to_give(company: Company) -> None:
    assert person(company, "note_read", {}).result["agent"] == "stakeholder"
    found = person(company, "note_write", {"text": "x"})
    assert (found.code, found.argument) == ("invalid_argument", "agent_id")
    assert "ceo, cfo, cto" in found.message


@pytest.mark.parametrize("agent_id", ["cgo", "../cfo", "CFO", ""])
def test_an_unknown_agent_is_refused_before_anything_is_written(company: Company, agent_id: str) -> None:
    found = person(company, "note_write", {"text": "x", "agent_id": agent_id})
    assert (found.ok, found.argument) == (False, "agent_id")
    assert company.bench.ran == []


def test_agent_id_must_be_a_text(company: Company) -> None:
    assert person(company, "note_read", {"agent_id": 7}).argument == "agent_id"


# --- capability


def test_an_agent_uses_only_the_tools_of_its_capabilities(tmp_path: Path) -> None:
    company = Company(tmp_path, capabilities=("note_*", "money_spend"))
    assert company.call("note_write", {"text": "x"}).ok
    found = company.call("price_set", {"price": 9})
    assert found.code == "refused"
    assert "not among the tools of its Capabilities.md" in found.message
    assert person(company, "as_other", {}, agent_id="cfo").ok


# --- governance


def test_what_costs_too_much_waits_for_a_person_whatever_the_surface(company: Company) -> None:
    by_agent = company.call("money_spend", {"amount": 6000})
    by_person = person(company, "money_spend", {"amount": 6000}, agent_id="cfo")
    assert by_agent.awaiting
    assert by_agent.as_json()["error"]["code"] == "awaiting_approval"
    assert by_agent.decision_id == by_person.decision_id
    assert company.bench.ran == []


def test_the_decision_says_what_and_why_and_is_bound_to_the_action(company: Company) -> None:
    found = company.call("money_spend", {"amount": 6000, "to": "agency"})
    decision = company.services.decisions("acme").one(found.decision_id)
    assert decision.action == {"tool": "money_spend", "arguments": {"amount": 6000.0, "to": "agency"}}
    assert (decision.from_agent, decision.cost, decision.counterparty) == ("cfo", 6000.0, "agency")
    assert "above the approval threshold" in decision.reasons[0]
    assert decision.deadline == "2026-03-03T12:00:00.000Z"


def test_an_approved_action_runs_exactly_once(company: Company) -> None:
    waiting = company.call("money_spend", {"amount": 6000})
    company.resolve(waiting)
    assert company.call("money_spend", {"amount": 6000}).ok
    again = company.call("money_spend", {"amount": 6000})
    assert again.awaiting
    assert again.decision_id != waiting.decision_id
    assert len(company.bench.ran) == 1


def test_an_approval_covers_neither_another_amount_nor_another_agent(company: Company) -> None:
    company.resolve(company.call("money_spend", {"amount": 6000}))
    assert company.call("money_spend", {"amount": 6001}).awaiting
    assert company.call("money_spend", {"amount": 6000}, caller=Caller("agent", "cto")).awaiting
    assert company.call("money_spend", {"amount": 6000, "to": "someone"}).ok


def test_a_modified_approval_covers_what_the_person_made_of_it(company: Company) -> None:
    waiting = company.call("money_spend", {"amount": 9000})
    company.resolve(waiting, "modify", modifications={"amount": 7000.0})
    assert company.call("money_spend", {"amount": 9000}).awaiting
    assert company.call("money_spend", {"amount": 7000}).ok


def test_a_rejected_action_is_refused_for_a_while_with_the_reason(company: Company) -> None:
    company.resolve(company.call("money_spend", {"amount": 6000}), "reject", feedback="Not this quarter")
    found = company.call("money_spend", {"amount": 6000})
    assert found.code == "refused"
    assert "Not this quarter" in found.message
    company.later(days=8)
    assert company.call("money_spend", {"amount": 6000}).awaiting


def test_a_deferred_decision_still_waits(company: Company) -> None:
    waiting = company.call("money_spend", {"amount": 6000})
    company.resolve(waiting, "defer", until="2026-03-01T00:00:00.000Z")
    assert company.call("money_spend", {"amount": 6000}).decision_id == waiting.decision_id


def test_splitting_a_cost_changes_nothing_within_a_day(company: Company) -> None:
    assert [company.call("money_spend", {"amount": 2000}).ok for _ in range(3)] == [True, True, False]
    assert company.call("money_spend", {"amount": 2000, "to": "another"}).ok
    company.later(hours=25)
    assert company.call("money_spend", {"amount": 2001}).ok


def test_what_was_put_before_a_person_waits_for_the_person(company: Company) -> None:
    assert [company.call("money_spend", {"amount": 3000}).ok for _ in range(2)] == [True, False]
    company.later(hours=25)
    waiting = company.call("money_spend", {"amount": 3000})
    assert waiting.awaiting
    company.resolve(waiting)
    assert company.call("money_spend", {"amount": 3000}).ok
    assert len(company.bench.ran) == 2


def test_what_was_not_done_was_not_spent(company: Company) -> None:
    company.bench.before = broken
    assert not company.call("money_spend", {"amount": 4000}).ok
    company.bench.before = lambda: None
    assert company.call("money_spend", {"amount": 4000}).ok


def test_spending_is_summed_across_restarts_from_the_ledger(company: Company) -> None:
    assert company.call("money_spend", {"amount": 4000}).ok
    clock = company.services.clock
    company.services.close()
    company.services = opened(company.root, company.bench, clock=clock)
    assert company.call("money_spend", {"amount": 4000}).awaiting


def test_what_is_strategic_is_put_before_a_strategic_owner_though_it_costs_nothing(company: Company) -> None:
    assert company.call("price_set", {"price": 49}).awaiting
    company.profile(decision_style="exception-based")
    assert company.call("price_set", {"price": 50}).ok


def test_a_person_who_steers_an_agent_has_decided(company: Company) -> None:
    assert company.call("course_set", {"text": "Enter the French market"}).awaiting
    assert person(company, "course_set", {"text": "Enter the French market"}, agent_id="cfo").ok


def test_the_autonomy_of_the_agent_counts(tmp_path: Path) -> None:
    company = Company(tmp_path, autonomy="limited")
    assert company.call("money_spend", {"amount": 1000}).ok
    found = company.call("money_spend", {"amount": 600, "to": "x"})
    assert found.ok
    assert company.call("money_spend", {"amount": 1001, "to": "y"}).awaiting


def test_the_autonomy_for_a_kind_of_action_holds_however_it_is_spelt(company: Company) -> None:
    persona = company.root / "agents" / "cfo" / "Persona.md"
    persona.write_text("# Persona\n\n- **Autonomy:** full\n- **Autonomy for:** Marketing-spend: none; pricing: full\n")
    assert company.call("money_spend", {"amount": 600}).awaiting
    assert company.call("note_write", {"text": "x"}).ok


def test_confidence_reaches_the_gate(company: Company) -> None:
    company.profile(risk_tolerance="conservative", auto_approve_categories=[])
    assert company.call("money_spend", {"amount": 100}, confidence=0.9).ok
    assert company.call("money_spend", {"amount": 100}, confidence=0.7).awaiting


def test_cash_and_burn_reach_the_gate(company: Company) -> None:
    company.profile(risk_tolerance="aggressive", auto_approve_categories=[])
    metrics = company.services.business("acme").metrics
    metrics.record("cash", 10_000, "2026-02-20")
    metrics.record("burn", 100, "2026-02-20", unit="USD/week")
    assert company.call("money_spend", {"amount": 2600}).awaiting
    assert company.call("money_spend", {"amount": 2000}).ok
    metrics.record("burn", 1000, "2026-02-21", unit="USD/week")
    found = company.call("money_spend", {"amount": 100})
    assert "months of runway" in found.message


def test_reading_and_free_writing_need_no_approval_even_without_autonomy(tmp_path: Path) -> None:
    company = Company(tmp_path, autonomy="none")
    assert company.call("note_read", {}).ok
    assert company.call("note_write", {"text": "x"}).ok
    assert company.call("money_spend", {"amount": 0}).ok
    assert company.call("money_spend", {"amount": 499}).ok
    assert company.call("money_spend", {"amount": 500, "to": "x"}).awaiting


# --- ledger


def test_the_ledger_says_what_was_done_by_whom_and_why(company: Company) -> None:
    company.call("money_spend", {"amount": 10}, cycle="C-1", because={"intention": "I-1"})
    done, outcome = company.services.ledger.entries("cfo")
    assert (done.kind, done.cycle, done.body["tool"], done.body["cost"]) == ("call", "C-1", "money_spend", 10.0)
    assert (done.body["by"], done.body["why"]) == ("agent", {"intention": "I-1"})
    assert (outcome.body["call"], outcome.body["ok"]) == (done.id, True)
    assert company.services.ledger.verify("cfo") == []


def test_reading_leaves_no_trace_and_waiting_leaves_one(company: Company) -> None:
    company.call("note_read", {})
    assert company.kinds() == []
    company.call("money_spend", {"amount": 6000})
    assert company.kinds() == ["awaiting"]


def test_what_a_tool_asks_of_a_model_stands_in_the_ledger_of_its_agent(tmp_path: Path) -> None:
    services = opened(tmp_path, Bench(), model=ScriptedModel(["Nine months."]))
    assert call(services, "model_ask", {"question": "How long?"}, caller=CFO).result == {"answer": "Nine months."}
    (entry,) = services.ledger.entries("cfo")
    assert (entry.kind, entry.body["tool"], entry.body["tag"], entry.body["model"]) == (
        "model", "model_ask", "ask", "scripted",
    )  # fmt: skip
    found = call(services, "model_ask", {"question": "And then?"}, caller=CFO)
    assert found.code == "unavailable"


def test_a_long_result_is_shortened_in_the_ledger_only(company: Company) -> None:
    found = company.call("note_write", {"text": "x" * 5000})
    (_, outcome) = company.services.ledger.entries("cfo")
    assert len(found.result["text"]) == 5000
    assert set(outcome.body["result"]) == {"id", "at"}


# --- services


def test_agents_written_by_hand_are_agents_too(company: Company) -> None:
    folder = company.root / "agents" / "intern"
    folder.mkdir()
    (folder / "Beliefs.md").write_text("# Beliefs\n")
    (company.root / "agents" / "nobody").mkdir()
    assert company.services.agents() == ["ceo", "cfo", "cto", "intern"]
    assert company.services.agent("intern").business.id == "acme"
    with pytest.raises(UnknownId, match="did you mean 'cfo'"):
        company.services.agent("cfoo")


def test_reading_an_agent_creates_nothing(company: Company) -> None:
    before = sorted(path for path in company.root.rglob("*") if ".mabos" not in path.parts)
    agent = company.services.agent("cfo")
    assert (agent.mind.beliefs, agent.inbox.unread(), agent.business.decisions.pending()) == ((), (), ())
    company.services.close()
    assert sorted(path for path in company.root.rglob("*") if ".mabos" not in path.parts) == before


def test_with_several_businesses_one_must_be_named(company: Company) -> None:
    folder = company.root / "businesses" / "beta"
    folder.mkdir()
    manifest = orjson.loads((company.root / "businesses" / "acme" / "business.json").read_bytes())
    (folder / "business.json").write_bytes(orjson.dumps(manifest | {"id": "beta"}))
    assert company.services.business("beta").id == "beta"
    assert company.services.agent("cfo").business.id == "acme"
    assert company.services.directory.the_business() == ""
    with pytest.raises(Exception, match="give 'business_id', one of acme, beta"):
        company.services.business()
