"""The commands on a company: what they answer, for people and as JSON, and with which exit code."""

import json
from pathlib import Path

import pytest

from tests.interfaces.command_line import answer, company, mabos

ROLES = {"ceo", "cfo", "coo", "cmo", "cto", "hr", "legal", "strategy", "knowledge"}


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A company that the tests only look at."""
    return company(tmp_path_factory.mktemp("acme"))


def ask(workspace: Path, **more: str) -> str:
    """Put a question before the stakeholder and return its id."""
    arguments = {
        "subject": "Sponsor a conference",
        "description": "A stand in May",
        "options": [{"id": "yes", "label": "Go"}, {"id": "no", "label": "Stay"}],
        "recommendation": "yes",
        **more,
    }
    done = answer("call", "decision_request", json.dumps(arguments), "--agent", "cmo", workspace=workspace)
    return str(done["result"]["decision_id"])


def test_a_new_business_is_staffed_with_nine_agents(acme: Path) -> None:
    assert {path.name for path in (acme / "agents").iterdir()} == ROLES
    assert "acme" in mabos("business", "list", workspace=acme).stdout


def test_a_business_that_exists_is_not_made_again(acme: Path) -> None:
    create = ("business", "create", "acme", "--name", "Acme", "--template", "saas")
    result = mabos(*create, workspace=acme, code=1)
    assert "acme" in result.stderr
    assert result.stderr.startswith("mabos: ")


def test_an_unknown_business_is_answered_with_the_nearest(acme: Path) -> None:
    error = answer("business", "status", "acne", workspace=acme, code=1)["error"]
    assert error["code"] == "unknown_id"
    assert "'acme'" in error["message"]


def test_the_status_of_a_business_is_data_and_a_table(acme: Path) -> None:
    assert answer("business", "status", "acme", workspace=acme)
    assert "acme" in mabos("business", "status", "acme", workspace=acme).stdout.lower()


def test_a_mind_is_shown_with_all_it_is_made_of(acme: Path) -> None:
    mind = answer("mind", "cfo", workspace=acme)
    assert mind["persona"]["agent_id"] == "cfo"
    assert mind["desires"]
    assert mind["beliefs"]
    text = mabos("mind", "cfo", workspace=acme).stdout
    assert all(heading in text for heading in ("Desires (", "Goals (", "Intentions (", "Beliefs ("))


def test_an_unknown_agent_is_answered_with_the_nearest(acme: Path) -> None:
    for command in (("mind", "strateg"), ("run", "strateg"), ("memory", "status", "--agent", "strateg")):
        result = mabos(*command, workspace=acme, code=1)
        assert "did you mean 'strategy'?" in result.stderr
        assert "Traceback" not in result.output


def test_the_memory_of_every_agent_is_counted(acme: Path) -> None:
    assert set(answer("memory", "status", workspace=acme)["agents"]) == ROLES
    assert "long term" in mabos("memory", "status", workspace=acme).stdout


def test_what_was_stored_is_recalled(tmp_path: Path) -> None:
    company(tmp_path)
    item = json.dumps({"content": "The yacht club is late", "type": "fact", "importance": 0.9, "store": "long_term"})
    answer("call", "memory_store_item", item, "--agent", "cfo", workspace=tmp_path)
    hits = answer("memory", "recall", "yacht", "--agent", "cfo", workspace=tmp_path)["hits"]
    assert hits[0]["content"] == "The yacht club is late"
    assert "The yacht club is late" in mabos("memory", "recall", "yacht", "--agent", "cfo", workspace=tmp_path).stdout
    none = mabos("memory", "recall", "zebra", "--agent", "cfo", workspace=tmp_path).stdout
    assert "nothing is remembered" in none


def test_memory_is_consolidated_and_summarised_for_every_agent(tmp_path: Path) -> None:
    company(tmp_path)
    assert set(answer("memory", "consolidate", "--dry-run", workspace=tmp_path)["agents"]) == ROLES
    assert set(answer("memory", "build-hierarchy", "--agent", "cfo", workspace=tmp_path)["agents"]) == {"cfo"}


def test_a_call_answers_with_its_result_or_with_the_argument_that_is_wrong(acme: Path) -> None:
    done = json.loads(mabos("call", "belief_get", "{}", "--agent", "cfo", workspace=acme).stdout)
    assert done["ok"] is True
    refused = json.loads(
        mabos("call", "belief_get", '{"category": 7}', "--agent", "cfo", workspace=acme, code=1).stdout
    )
    assert refused["ok"] is False
    assert refused["error"]["argument"] == "category"


def test_a_call_of_an_unknown_tool_names_the_nearest(acme: Path) -> None:
    error = answer("call", "belief_gett", workspace=acme, code=1)["error"]
    assert error["code"] == "unknown_id"
    assert "belief_get" in error["message"]


@pytest.mark.parametrize("arguments", ["{", "[1]", "7"])
def test_arguments_that_are_no_json_object_are_wrong_usage(arguments: str, acme: Path) -> None:
    error = json.loads(mabos("call", "belief_get", arguments, workspace=acme, code=2).stdout)["error"]
    assert error["argument"] == "arguments"


def test_arguments_are_read_from_standard_input(acme: Path) -> None:
    from click.testing import CliRunner

    from mabos.interfaces.cli import front

    result = CliRunner().invoke(front, ["call", "belief_get", "-", "--agent", "cfo", "-w", str(acme)], input="{}")
    assert json.loads(result.stdout)["ok"] is True


def test_the_catalogue_is_listed_with_schemas_and_by_group(acme: Path) -> None:
    rows = answer("tools", workspace=acme)
    assert {"name", "module", "summary", "writes", "schema"} <= set(rows[0])
    assert all(row["schema"].get("properties") for row in rows)
    assert "belief_update" in mabos("tools", "--by", "catalogue", "belief").stdout
    assert "goal_create" not in mabos("tools", "belief").stdout


def test_a_decision_is_listed_explained_and_approved_once(tmp_path: Path) -> None:
    company(tmp_path)
    decision = ask(tmp_path)
    listed = mabos("decisions", workspace=tmp_path).stdout
    assert decision in listed
    assert "Sponsor a conference" in listed
    assert answer("why", decision, workspace=tmp_path)["kind"] == "decision"
    mabos("decisions", "approve", decision, "--option", "yes", workspace=tmp_path)
    assert answer("decisions", workspace=tmp_path)["decisions"] == []
    assert answer("decisions", "list", "--all", workspace=tmp_path)["decisions"][0]["status"] == "approved"
    again = answer("decisions", "reject", decision, workspace=tmp_path, code=1)["error"]
    assert "already answered" in again["message"]


def test_a_question_is_shown_with_its_options_what_comes_of_each_and_the_commands_that_answer(tmp_path: Path) -> None:
    company(tmp_path)
    options = [
        {"id": "rent", "label": "Rent a hall", "impact": "Costs $900 a month"},
        {"id": "buy", "label": "Buy one", "impact": "Costs $80,000 now"},
    ]
    asked = {"subject": "Where do we meet?", "description": "The lease ends in May.", "options": options}
    call = json.dumps(asked | {"recommendation": "rent"})
    decision = answer("call", "decision_request", call, "--agent", "coo", workspace=tmp_path)["result"]["decision_id"]
    listed = mabos("decisions", workspace=tmp_path).stdout
    assert "The lease ends in May." in listed
    assert "rent  Rent a hall (recommended): Costs $900 a month" in listed
    assert "buy  Buy one: Costs $80,000 now" in listed
    (way,) = [line.split()[1:] for line in listed.splitlines() if line.endswith("--option buy")]
    mabos(*way, workspace=tmp_path)
    (answered,) = answer("decisions", "list", "--all", workspace=tmp_path)["decisions"]
    assert (answered["id"], answered["chosen_option"]) == (decision, "buy")


def test_what_was_put_off_waits_again_at_its_date(tmp_path: Path) -> None:
    company(tmp_path)
    decision = ask(tmp_path)
    mabos("decisions", "defer", decision, "--until", "2026-03-05", workspace=tmp_path)
    before = mabos("decisions", workspace=tmp_path, now="2026-03-04T23:00:00Z").stdout
    files = {path: path.read_bytes() for path in tmp_path.rglob("decision-queue*") if path.is_file()}
    after = mabos("decisions", workspace=tmp_path, now="2026-03-05T08:00:00Z").stdout
    assert files
    assert files == {path: path.read_bytes() for path in files}  # who looks writes nothing
    assert (("deferred" in before), ("pending" in before)) == (True, False)
    assert (("deferred" in after), ("pending" in after)) == (False, True)
    assert "put off until 2026-03-05" in after
    mabos("decisions", "approve", decision, "--option", "yes", workspace=tmp_path, now="2026-03-05T08:00:00Z")


def test_a_decision_can_be_rejected_or_put_off(tmp_path: Path) -> None:
    company(tmp_path)
    first, second = ask(tmp_path), ask(tmp_path, subject="Hire a designer")
    mabos("decisions", "reject", first, "--feedback", "not this year", workspace=tmp_path)
    mabos("decisions", "defer", second, "--until", "2026-04-01", workspace=tmp_path)
    found = {one["id"]: one for one in answer("decisions", "list", "--all", workspace=tmp_path)["decisions"]}
    assert found[first]["status"] == "rejected"
    assert found[first]["feedback"] == "not this year"
    assert (found[second]["status"], found[second]["until"][:10]) == ("deferred", "2026-04-01")


def test_an_unknown_decision_names_the_nearest(tmp_path: Path) -> None:
    company(tmp_path)
    decision = ask(tmp_path)
    result = mabos("decisions", "approve", decision + "x", workspace=tmp_path, code=1)
    assert f"did you mean '{decision}'?" in result.stderr


def test_a_change_without_a_value_is_refused(tmp_path: Path) -> None:
    company(tmp_path)
    result = mabos("decisions", "modify", ask(tmp_path), "--set", "budget", workspace=tmp_path, code=1)
    assert "expected name=value" in result.stderr


def test_a_ledger_that_was_tampered_with_is_found(tmp_path: Path) -> None:
    company(tmp_path)
    ask(tmp_path)
    sound = answer("verify", "ledger", workspace=tmp_path)
    assert (sound["valid"], sound["problems"]) == (True, [])
    assert sound["heads"]["cmo"]["seq"] == 2
    ledger = tmp_path / "ledger" / "cmo.jsonl"
    ledger.write_text(ledger.read_text("utf-8").replace("Sponsor", "Skip", 1), "utf-8")
    found = answer("verify", workspace=tmp_path, code=1)
    assert found["valid"] is False
    assert found["problems"][0]["check"] == "ledger"


def test_a_damaged_file_and_a_waiting_hand_edit_are_found(tmp_path: Path) -> None:
    company(tmp_path)
    assert mabos("verify", "files", workspace=tmp_path).stdout == "files: sound\n"
    (tmp_path / "agents" / "cfo" / "Beliefs.md.conflict").write_text("## Mine\n", "utf-8")
    (tmp_path / "agents" / "coo" / "facts.json").write_text("{", "utf-8")
    problems = answer("verify", "files", workspace=tmp_path, code=1)["problems"]
    assert [(one["path"], one["line"]) for one in problems] == [
        ("agents/cfo/Beliefs.md.conflict", 0),
        ("agents/coo/facts.json", 1),
    ]
    assert "hand edit" in problems[0]["message"]


def test_the_index_can_be_made_again(tmp_path: Path) -> None:
    company(tmp_path)
    known = {"content": "Runway is nine months", "importance": 0.8}
    answer("call", "memory_store_item", json.dumps(known), "--agent", "cfo", workspace=tmp_path)
    made = answer("rebuild", workspace=tmp_path)
    assert (made["rebuilt"], made["refused"]) == (["index", "words", "graph"], {})
    assert made["rows"] >= 1


def test_the_doctor_says_what_is_absent_and_fails_on_what_is_wrong(tmp_path: Path) -> None:
    company(tmp_path)
    report = answer("doctor", workspace=tmp_path)
    assert report["healthy"] is True
    assert {one["subject"]: one["state"] for one in report["checks"]}["chat model"] == "absent"
    (tmp_path / "mabos.yaml").write_text("durabilty: each\n", "utf-8")
    wrong = answer("doctor", workspace=tmp_path, code=1)
    assert next(one for one in wrong["checks"] if one["subject"] == "settings")["state"] == "wrong"
