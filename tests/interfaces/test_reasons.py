"""The chain of reasons: followed back to its beginning, each link told once, cycles ended."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.mail import Letter
from mabos.configs.errors import UnknownId
from mabos.interfaces.reasons.chain import Reason, explain_record
from mabos.interfaces.reasons.record import Record, RecordGraph, RecordShelf
from mabos.society.drafts import write_draft
from mabos.society.roles import STAKEHOLDER
from tests.interfaces.command_line import answer, mabos
from tests.world import World


def why(*records: Record, root: Path = Path("/nowhere")) -> Reason:
    """Return the chain behind the first of the records."""
    return explain_record(records[0], RecordGraph(RecordShelf(records)), root)


def record(record_id: str, *rests_on: str, kind: str = "belief") -> Record:
    return Record(record_id, kind, "cfo", f"about {record_id}", rests_on=rests_on)


def ids(reason: Reason) -> list[str]:
    return [reason.id, *(one for link in reason.because for one in ids(link))]


def test_a_chain_goes_back_to_the_line_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text("month,cash\n2026-01,310000\n", "utf-8")
    records = [record("G-1", "D-1"), record("D-1", "B-1"), record("B-1", "F-1"), record("F-1", "metrics.csv:2")]
    reason = why(*records, root=tmp_path)
    assert ids(reason) == ["G-1", "D-1", "B-1", "F-1", "metrics.csv:2"]
    passage = reason.because[0].because[0].because[0].because[0]
    assert passage.words == "2026-01,310000"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_passage_is_quoted_in_the_letters_it_was_written_in(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "brief.md").write_text("Für März\nDas Café zahlt 3 %\n", encoding)
    reason = why(record("F-1", "brief.md:2"), root=tmp_path)
    assert reason.because[0].words == "Das Café zahlt 3 %"


def test_ids_are_found_inside_sentences() -> None:
    assert ids(why(record("D-1", "requested by ceo in MSG-12."), record("MSG-12"))) == ["D-1", "MSG-12"]


def test_the_point_of_a_series_is_found_by_its_id() -> None:
    point = record("cash@2026-01-31T00:00:00.000Z")
    assert ids(why(record("B-cash", point.id), point)) == ["B-cash", point.id]


def test_an_agent_means_its_own_record_where_several_have_the_id() -> None:
    other = Record("B-cash", "belief", "ceo", "hearsay")
    own = Record("B-cash", "belief", "cfo", "measured")
    assert why(record("G-1", "B-cash"), other, own).because[0].words == "measured"
    assert RecordGraph(RecordShelf([other, own])).owners("B-cash") == ["ceo", "cfo"]


def test_a_reason_reached_twice_is_told_once() -> None:
    reason = why(record("A-1", "B-1", "C-1"), record("B-1", "C-1"), record("C-1", "D-1"), record("D-1"))
    assert ids(reason) == ["A-1", "B-1", "C-1", "D-1", "C-1"]
    assert [link.seen for link in reason.because] == [False, True]


def test_what_is_nearest_to_an_action_comes_first_so_that_the_chain_is_long_and_not_broad() -> None:
    decision = record("DEC-1", "G-1", "I-1", "P-1", kind="decision")
    intention, plan = record("I-1", "G-1", "P-1", kind="intention"), record("P-1", "G-1", kind="plan")
    assert ids(why(decision, intention, plan, record("G-1", kind="goal")))[:4] == ["DEC-1", "I-1", "P-1", "G-1"]


def test_a_record_that_an_agent_does_not_have_is_not_another_agents() -> None:
    with pytest.raises(UnknownId, match="ceo"):
        RecordGraph(RecordShelf([Record("B-cash", "belief", "ceo", "hearsay")])).find("B-cash", "cfo")


def test_a_circle_ends() -> None:
    reason = why(record("A-1", "B-1"), record("B-1", "A-1"))
    assert reason.because[0].because[0].seen


@given(edges=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_a_chain_of_any_shape_ends_and_tells_each_record_once(edges: list[tuple[int, int]]) -> None:
    rests = {n: tuple(f"X-{to}" for frm, to in edges if frm == n) for n in range(10)}

    def told(reason: Reason) -> list[str]:
        return ([] if reason.seen else [reason.id]) + [one for link in reason.because for one in told(link)]

    found = told(why(*(record(f"X-{n}", *rests[n]) for n in range(10))))
    assert len(found) == len(set(found))


def test_a_document_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    reason = why(record("F-1", "brief.md:3"), root=tmp_path)
    assert reason.because[0].words == "(the document is not there any more)"


def test_a_path_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret\n", "utf-8")
    reason = why(record("F-1", "../secret.txt:1"), root=root)
    assert reason.because[0].words == "(outside the workspace)"


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(UnknownId, match="did you mean 'B-12'"):
        RecordGraph(RecordShelf([record("B-12")])).find("B-13")


@pytest.fixture
def quarter(tmp_path: Path) -> Path:
    """A company whose CFO has acted on January's figures and then read February's."""
    found = ("business", "create", "acme", "--name", "Acme", "--template", "saas")
    mabos(*found, workspace=tmp_path, now="2026-02-01T09:00:00Z")
    inbox = tmp_path / "businesses" / "acme" / "inbox"
    for month, now, cash in (("2026-01", "2026-02-02", 310_000), ("2026-02", "2026-03-02", 290_000)):
        figures = f"month,cash,burn,runway_months\n{month},{cash},60000,{cash / 60_000:.1f}\n"
        (inbox / f"{month}.csv").write_text(figures, "utf-8")
        answer("run", "cfo", workspace=tmp_path, now=f"{now}T09:00:00Z")
    return tmp_path


def below(reason: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a reason and everything below it."""
    return [reason, *(one for link in reason.get("because", ()) for one in below(link))]


def deeds(workspace: Path, tool: str, day: str = "") -> list[dict[str, Any]]:
    """Return the entries of the CFO's ledger for calls of a tool."""
    entries = [json.loads(line) for line in (workspace / "ledger" / "cfo.jsonl").read_text("utf-8").splitlines()]
    return [one for one in entries if one["body"].get("tool") == tool and one["at"].startswith(day)]


def test_an_action_of_last_month_rests_on_what_was_believed_then(quarter: Path) -> None:
    (action, *_) = deeds(quarter, "agent_message", "2026-02-02")
    told = [one["text"] for one in below(answer("why", action["id"], workspace=quarter))]
    assert any("runway_months is 5.2" in text for text in told)
    assert not any("4.8" in text for text in told)
    assert any("2026-01,310000" in text for text in told)


def test_a_belief_itself_is_told_as_it_stands(quarter: Path) -> None:
    told = [one["text"] for one in below(answer("why", "runway_months", "--agent", "cfo", workspace=quarter))]
    assert "runway_months is 4.8" in told[0]


def test_an_intention_that_is_over_is_still_a_reason(quarter: Path) -> None:
    (action, *_) = deeds(quarter, "agent_message", "2026-02-02")
    chain = below(answer("why", action["id"], workspace=quarter))
    assert [one["kind"] for one in chain][:5] == ["action", "intention", "plan", "goal", "desire"]


def test_whatever_a_call_hands_out_names_the_call(quarter: Path) -> None:
    handed_out = {
        "work_package_create": {
            "title": "Repair",
            "description": "What breaks",
            "required_skills": ["engineering"],
            "budget_usd": 400,
        },
        "ad_campaign_create": {
            "name": "Search",
            "channel": "search",
            "segment": "smb",
            "weekly_budget_usd": 100,
            "weeks": 2,
        },
        "contractor_add": {"name": "Ada", "skills": ["engineering"], "hourly_rate_usd": 90},
        "rule_create": {
            "name": "Cash",
            "description": "Cash is kept",
            "type": "inference",
            "conditions": [{"subject": "acme", "predicate": "cash", "object": "0", "operator": "gt"}],
            "conclusion": {"subject": "acme", "predicate": "has_cash", "object": "yes"},
        },
        "contract_net_initiate": {"task_description": "Write the plan"},
        "goal_create": {"level": "operational", "description": "Collect invoices"},
        "content_generate": {"type": "blog_post", "topic": "Invoices", "title": "Invoices"},
        "stripe_create_product": {"name": "Team"},
    }
    for tool, arguments in handed_out.items():
        said = ("call", tool, json.dumps(arguments), "--agent", "cfo")
        result = answer(*said, workspace=quarter)["result"]
        ids = {value for name, value in result.items() if name.endswith("_id") and value and value != "acme"}
        assert ids, (tool, result)
        for one in ids:
            because = answer("why", one, workspace=quarter).get("because", [])
            assert [link["text"].partition("(")[0] for link in because if link["kind"] == "action"] == [tool], one


def test_a_cycle_names_what_was_done_in_it(quarter: Path) -> None:
    (action, *_) = deeds(quarter, "agent_message", "2026-02-02")
    chain = answer("why", action["cycle"], workspace=quarter)
    assert action["id"] in {one["id"] for one in chain["because"]}


def test_what_agents_wrote_and_what_lies_in_the_inbox_is_shown_whole(tmp_path: Path) -> None:
    with World(tmp_path / "workspace") as world:
        world.do("stakeholder_profile", approval_threshold_usd=100_000)
        body = "We bake at night.\n\nBread is good."
        made = world.do("content_generate", "cmo", type="blog_post", title="What we bake", body=body)
        letter = Letter(
            "LTR-1", "us@example.com", "ada@example.com", "New days", "From May\non Tuesdays.", world.clock()
        )
        write_draft(world.business.directory, letter, "key")
        inbox = world.business.directory / "inbox"
        inbox.mkdir(exist_ok=True)
        (inbox / "lease.md").write_text("The lease ends on 30 June 2026.\n\nNo pets.\n", "utf-8")
        world.cycle("ceo", "When does the lease end?")
        source = str(world.services.inbox(STAKEHOLDER).messages()[-1].metadata["claims"][0]["record"])
        for wanted, text in ((made["id"], body), ("LTR-1", "on Tuesdays."), (source, "No pets.")):
            passages = [one.words for one in world.why(wanted).because if one.kind == "passage"]
            assert any(text in one for one in passages), wanted
