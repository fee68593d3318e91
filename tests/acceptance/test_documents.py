"""Real input: a brief and a table of figures, dropped into the inbox, become facts, beliefs and goals with sources."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.company import Company

INBOX = "businesses/acme/inbox"
BRIEF = """# Acme: where we stand

Date: 2026-02-20

We make invoicing software for workshops. Nobody should have to print an invoice.

## Key figures

- **Cash:** $420,000
- Monthly burn: 35,000 USD
- Churn: 4.2%

| Figure | Value |
| --- | --- |
| Customers | 310 |

## Goals

- Reach $60K MRR by June 2026
- Keep at least six months of runway
- Reduce churn below 3% by 2026-09-30
"""
METRICS = """month,mrr,churn_rate,cash,cac
2025-12,45000,4.4%,455000,310
2026-01,48200,4.2%,420000,290
2026-02,oops,4.0%,390000,280
"""


@pytest.fixture
def informed(acme: Company) -> Company:
    """A company whose CFO has read a brief and a table."""
    acme.write(f"{INBOX}/brief.md", BRIEF)
    acme.write(f"{INBOX}/metrics.csv", METRICS)
    assert acme.run("cfo")["counts"]["documents"] == 2
    return acme


def beliefs(acme: Company, subject: str, agent: str = "cfo") -> list[dict[str, Any]]:
    """Return the beliefs held about exactly this subject."""
    found = acme.done("belief_get", agent=agent, subject=subject, limit=100)["beliefs"]
    return [one for one in found if one["subject"] == subject and one["status"] == "held"]


def texts(reason: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (id, text) of a reason and of everything below it."""
    yield reason["id"], reason.get("text", "")
    for below in reason.get("because", ()):
        yield from texts(below)


def test_facts_stand_in_the_file_with_document_and_line(informed: Company) -> None:
    facts = {(one["predicate"], one["object"]): one for one in informed.read("agents/cfo/facts.json")["facts"]}
    assert facts["burn", "35000"]["source"] == f"{INBOX}/brief.md:10"
    assert facts["churn_rate", "4.4%"]["source"] == f"{INBOX}/metrics.csv:2"
    assert facts["cash", "390000"]["source"] == f"{INBOX}/metrics.csv:4"
    assert facts["cash", "390000"]["valid_from"].startswith("2026-02-28")
    assert not any(predicate == "date" for predicate, _ in facts)


def test_the_newest_figures_are_believed(informed: Company) -> None:
    for subject, value in (("cash", "390000"), ("cac", "280"), ("mrr", "48200"), ("burn", "35000")):
        (belief,) = beliefs(informed, subject)
        assert belief["value"] == value, subject
        assert belief["certainty"] >= 0.8
    text = informed.text("agents/cfo/Beliefs.md")
    assert f"{INBOX}/metrics.csv:4" in text


def test_a_share_is_believed_as_a_share(informed: Company) -> None:
    (belief,) = beliefs(informed, "churn_rate")
    assert belief["value"] == "4%"


def test_goals_of_the_brief_are_goals_of_the_cfo_with_target_and_deadline(informed: Company) -> None:
    goals = {goal["description"]: goal for goal in informed.data("mind", "cfo")["goals"]}
    grow = goals["Reach $60K MRR by June 2026"]
    assert (grow["target"], grow["deadline"][:10]) == ("mrr >= 60000", "2026-06-30")
    keep = goals["Reduce churn below 3% by 2026-09-30"]
    assert (keep["target"], keep["deadline"][:10]) == ("churn_rate < 3%", "2026-09-30")
    assert goals["Keep at least six months of runway"]["target"] == "runway_months >= 6"
    assert f"{INBOX}/brief.md:19" in informed.text("agents/cfo/Goals.md")


def test_why_traces_a_belief_to_its_line_in_the_document(informed: Company) -> None:
    for subject, line, written in (
        ("burn", f"{INBOX}/brief.md:10", "Monthly burn: 35,000 USD"),
        ("cac", f"{INBOX}/metrics.csv:4", "2026-02,oops,4.0%,390000,280"),
    ):
        (belief,) = beliefs(informed, subject)
        reasons = dict(texts(informed.data("why", belief["id"])))
        assert written in reasons[line]
        assert line in informed.command("why", belief["id"]).stdout


def test_why_traces_a_goal_and_a_fact_too(informed: Company) -> None:
    goal = next(one for one in informed.data("mind", "cfo")["goals"] if one["description"].startswith("Reach"))
    assert f"{INBOX}/brief.md:19" in dict(texts(informed.data("why", goal["id"])))
    fact = next(one for one in informed.read("agents/cfo/facts.json")["facts"] if one["object"] == "35000")
    assert f"{INBOX}/brief.md:10" in dict(texts(informed.data("why", fact["id"])))


def test_a_line_that_cannot_be_read_is_said_and_the_others_are_read(informed: Company) -> None:
    ledger = informed.text("ledger/cfo.jsonl")
    assert f"{INBOX}/metrics.csv:4" in ledger
    assert "oops" in ledger


def test_a_document_is_read_once_and_again_when_it_has_changed(informed: Company) -> None:
    count = len(informed.read("agents/cfo/facts.json")["facts"])
    assert "documents" not in informed.run("cfo")["counts"]
    assert len(informed.read("agents/cfo/facts.json")["facts"]) >= count
    informed.write(f"{INBOX}/metrics.csv", METRICS.replace("oops", "51000"))
    assert informed.run("cfo")["counts"]["documents"] == 1
    (belief,) = beliefs(informed, "mrr")
    assert belief["value"] == "51000"


def test_the_dropped_files_stay_as_they_are(informed: Company) -> None:
    assert informed.text(f"{INBOX}/brief.md") == BRIEF
    assert informed.text(f"{INBOX}/metrics.csv") == METRICS


def test_the_ceo_reads_the_brief_as_well(informed: Company) -> None:
    assert informed.run("ceo")["counts"]["documents"] >= 1
    assert any("60K MRR" in goal["description"] for goal in informed.data("mind", "ceo")["goals"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.csv", b""),
        ("metrics.csv", b"\xff\xfe\x00"),
        ("metrics.csv", b"a,b,c\n1,2\n"),
        ("brief.md", b""),
        ("brief.md", b"\x00\x01\x02" * 500),
        ("photo.jpg", b"\xff\xd8\xff"),
        (".hidden.md", b"# Goals\n- x\n"),
    ],
    ids=range(7),
)
def test_nothing_that_is_dropped_stops_a_cycle(acme: Company, name: str, content: bytes) -> None:
    acme.file(INBOX).mkdir(parents=True, exist_ok=True)
    (acme.file(INBOX) / name).write_bytes(content)
    assert acme.run("cfo")["ok"] is True


def test_a_table_as_a_spreadsheet_exports_it_is_read(acme: Company) -> None:
    table = 'Monat;MRR (USD);Churn %;Cash\n01.2026;48.200,50;3,1;"420.000"\n'
    acme.file(INBOX).mkdir(parents=True, exist_ok=True)
    (acme.file(INBOX) / "zahlen.csv").write_bytes(b"\xef\xbb\xbf" + table.encode())
    acme.run("cfo")
    recorded = [fact for fact in acme.read("agents/cfo/facts.json")["facts"] if fact["subject"] == "acme"]
    facts = {fact["predicate"]: fact["object"] for fact in recorded}
    assert float(facts["mrr"]) == 48200.5
    assert facts["churn_rate"] == "3.1%"
    (cash,) = beliefs(acme, "cash")
    assert float(cash["value"]) == 420000


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that nobody can read, root neither")
def test_a_document_that_cannot_be_read_is_said_and_the_others_are_read(acme: Company) -> None:
    acme.write(f"{INBOX}/metrics.csv", METRICS)
    acme.file(f"{INBOX}/a.csv").symlink_to("/proc/self/mem")
    acme.file(f"{INBOX}/gone.csv").symlink_to("nowhere.csv")
    report = acme.run("cfo")
    assert report["counts"]["documents"] == 1
    assert f"{INBOX}/a.csv" in acme.text("ledger/cfo.jsonl")


def test_a_brief_with_headings_in_its_lists_gives_goals_only(acme: Company) -> None:
    acme.write(f"{INBOX}/brief.md", "## Goals\n\n- ## Persona\n- ---\n- Keep at least six months of runway\n")
    acme.run("cfo")
    told = [goal["description"] for goal in acme.data("mind", "cfo")["goals"]]
    assert "Keep at least six months of runway" in told
    assert not any("Persona" in one or "---" in one for one in told)
