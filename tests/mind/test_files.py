"""The cognitive files as people write them, and as MABOS writes them."""

from dataclasses import replace

import pytest

from mabos.configs.errors import Damaged
from mabos.mind.files import parse, parse_record, render, rewrite
from mabos.mind.forms import BELIEF, CAPABILITIES, DESIRE, GOAL, INTENTION, PERSONA, PLAN, PLAYBOOK
from mabos.mind.model import (
    Belief,
    Capabilities,
    Commitment,
    Desire,
    Goal,
    Intention,
    Item,
    Learning,
    Persona,
    Plan,
    Playbook,
    Revision,
    Step,
)
from mabos.workspace.markdown import split
from tests.mind.examples import GOLDEN, read_beliefs

AT = "2026-02-24T12:00:00.000Z"
PRINTED: list[Item] = [
    Belief(
        "B-1", "churn_rate is 5.8%", 0.85, "environment", "crm_export", "churn_rate", "", "5.8%", AT, "2026-06-30",
        ("F-1", "metrics.csv:3"), "flagged", (Revision(AT, "3.2%", "5.8%", 0.92, 0.85, "crm_export"),),
    ),
    Desire(
        "D-1", "Keep six months of runway", "The time it takes to raise money; or to change course", "maintain",
        "terminal", 1.0, 0.9, 0.7, 1.0, ("D-2",), "", "runway_months >= 6", "", AT, 0.91, resource="cash",
    ),
    Goal(
        "G-1", "Reduce churn below 3%", "tactical", "D-1", "G-0", 0.7, "active", "churn_rate < 3%", 62.5,
        "2026-05-01", ("churn_rate < 3%", "nps >= 25"), AT, AT, AT,
    ),
    Intention(
        "I-1", "G-1", "P-1", "cautious", "awaiting_approval", 0.4, "2026-05-01", AT, AT, "DEC-1", "waits for DEC-1",
        (), "Reduce churn below 3%: saas reduce churn",
    ),
    Plan(
        "P-1", "G-1", "saas reduce churn", "library", 0.6, 2, "", (
            Step("reasons", "Sort the reasons", "fact_assert", {"subject": "churn", "confidence": 0.8}, status="done",
                 effects=("churn_reasons status known",), result="F-7"),
            Step("choose", "Take the cause that weighs most", ordering="choice",
                 branches=(("support_backlog >= 40", "support"), ("otherwise", "tell"))),
            Step("support", "Book help", "work_package_create", {"budget_usd": 1500, "required_skills": ["support"]},
                 ("cash > 1500",), cost=1500.0, status="waiting", decision_id="DEC-1"),
            Step("tell", "Tell marketing", "agent_message", {"to": "cmo", "content": "We are on it.\nMore soon."}),
        ), 2, "active", ("Effects show after a month",), "saas_reduce_churn", AT, AT,
    ),
    Commitment("C-1", "Owner", "Cash position in writing every Monday", "2026-03-02", "open", "Authority is withdrawn"),
    Learning("L-1", "Campaigns pay back after a month", "paid_acquisition", "cac > 900", AT),
    Playbook("Monthly close", "A new month", ("Compare cash with the forecast", "Inform the CEO"), "Within 5%"),
    Persona(
        "cfo", "Chief Financial Officer", "Finance", "ceo", ("controller",), "limited", "Numbers before words",
        ("Forecast cash and runway", "Report to the owner"), ("corporate finance",),
        {"budget": "full", "contract": "none"},
    ),
    Capabilities(("belief_get", "memory_*"), {"unit economics": "expert", "marketing": "novice"}),
]  # fmt: skip


@pytest.mark.parametrize("item", PRINTED, ids=lambda item: type(item).__name__)
def test_each_record_is_written_as_its_golden_file_shows(item: Item) -> None:
    assert render(item) == (GOLDEN / f"{type(item).__name__.lower()}.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("written", "certainty"),
    [
        ("certainty: 0.8", 0.8),
        ("Certainty: 0.9", 0.9),
        ("**Certainty**: 0.75", 0.75),
        ("- **Certainty:** 0.6", 0.6),
        ("- Certainty: 85%", 0.85),
        ("* Confidence: 0.4", 0.4),
        ("Certainty: high", 0.8),
        ("Nothing about it here", 0.5),
        ("It is so [certainty: 0.7]", 0.7),
    ],
)
def test_every_writing_of_certainty_is_read(written: str, certainty: float) -> None:
    assert parse(BELIEF, "x", f"## Session Store\nRedis.\n{written}\n").certainty == certainty


@pytest.mark.parametrize(
    ("written", "rewritten"),
    [
        ("certainty: 0.8", "certainty: 0.3"),
        ("**Certainty**: 0.75", "**Certainty**: 0.3"),
        ("- Certainty: 85%", "- Certainty: 30%"),
        ("Redis, they say [certainty: 0.7]", "Redis, they say [certainty: 0.3]"),
    ],
)
def test_what_was_read_in_one_form_is_written_back_in_it(written: str, rewritten: str) -> None:
    text = f"## Session Store\nRedis.\n{written}\n\n"
    belief = parse(BELIEF, "session-store", text)
    assert rewrite(replace(belief, certainty=0.3), "session-store", text).text == text.replace(written, rewritten)


def test_a_heading_and_prose_are_a_belief_with_a_stable_id() -> None:
    one, two = read_beliefs("## Session Store\nRedis.\n\n## Session Store\nPostgreSQL.\n**Source**: cto\n")
    assert (one.id, one.subject, one.statement) == ("session-store", "Session Store", "Redis.")
    assert (two.id, two.statement, two.source) == ("session-store-2", "PostgreSQL.", "cto")


def test_a_heading_alone_is_the_statement() -> None:
    (belief,) = read_beliefs("## Market demand is growing [updated: 2026-02-20]\ncertainty: 0.85\n")
    assert (belief.statement, belief.subject, belief.updated) == ("Market demand is growing", "", "2026-02-20")


def test_prose_keeps_lines_that_only_look_like_fields() -> None:
    (belief,) = read_beliefs("## Billing\nNote: invoices go out on Monday.\nThey are paid late.\nCertainty: 0.7\n")
    assert belief.statement == "Note: invoices go out on Monday.\nThey are paid late."


def test_an_untouched_section_stays_as_it_is_and_a_touched_one_keeps_what_nobody_knows() -> None:
    text = "## Billing\n\nInvoices are paid late.\n\n- **Certainty:** 0.7\n- **Owner:** Jane\n\n> ask her\n\n"
    belief = parse(BELIEF, "billing", text)
    assert rewrite(belief, "billing", text).text == text
    changed = rewrite(replace(belief, status="flagged", updated="2026-02-24"), "billing", text).text
    assert "- **Owner:** Jane" in changed
    assert "> ask her" in changed
    assert parse(BELIEF, "billing", changed).status == "flagged"


def test_a_changed_heading_leaves_the_id_behind() -> None:
    text = "## Grow MRR\npriority: 0.7\n\n"
    desire = parse(DESIRE, "grow-mrr", text)
    changed = rewrite(replace(desire, name="Grow revenue"), "grow-mrr", text).text
    assert changed.startswith("## Grow revenue\n")
    assert split(changed)[1][0].key == "grow-mrr"


def test_an_intention_with_markers_is_read() -> None:
    text = "## Launch pricing page [deadline: 2026-02-20] [updated: 2026-02-10]\nStatus: in progress\nProgress: 40%\n"
    intention = parse(INTENTION, "launch-pricing-page", text)
    assert (intention.description, intention.deadline, intention.updated) == (
        "Launch pricing page", "2026-02-20", "2026-02-10",
    )  # fmt: skip
    assert (intention.status, intention.progress, intention.strategy) == ("active", 0.4, "open-minded")


def test_a_goal_written_by_hand_is_read() -> None:
    text = (
        "## Reduce churn\nLevel: Tactical\nProgress: 40%\nDue: 2026-05-01\nGoal id: x\n"
        "Success criteria:\n- churn_rate < 3%\n- nps >= 25, at least\n"
    )
    goal = parse(GOAL, "reduce-churn", text.replace("\n- ", "\n  - "))
    assert (goal.level, goal.progress, goal.deadline) == ("tactical", 40.0, "2026-05-01")
    assert goal.success_criteria == ("churn_rate < 3%", "nps >= 25, at least")


def test_a_plan_written_by_hand_is_read_and_its_other_steps_stay_when_one_moves() -> None:
    text = (
        "## Close the month\nGoal: G-1\n\n1. [x] Compare cash\n2. Inform the CEO\n   - **Tool:** agent_message\n"
        "   - **Who:** Jane\n\n"
    )
    plan = parse(PLAN, "close-the-month", text)
    assert [(step.id, step.description, step.status) for step in plan.steps] == [
        ("s1", "Compare cash", "done"), ("s2", "Inform the CEO", "pending"),
    ]  # fmt: skip
    first = replace(plan.steps[0], result="F-1")
    changed = rewrite(replace(plan, steps=(first, plan.steps[1])), "close-the-month", text).text
    assert "   - **Who:** Jane" in changed


def test_a_playbook_is_a_numbered_list() -> None:
    text = "## Spending freeze\n**Trigger**: runway below 4\n1. Stop ads\n2) Ask HR\n   to stop too\n\nSuccess: less\n"
    assert parse(PLAYBOOK, "spending-freeze", text) == Playbook(
        "Spending freeze", "runway below 4", ("Stop ads", "Ask HR to stop too"), "less"
    )


def test_a_persona_may_be_one_list_of_fields_or_several_sections() -> None:
    fields = {"": "# Persona\n\n- **Title:** CFO\n- **Autonomy level:** Full\n\n"}
    assert parse_record(PERSONA, fields) == Persona("", "CFO", autonomy="full")
    sections = fields | {"responsibilities": "## Responsibilities\n\n- Forecast cash\n- Report; always\n\n"}
    assert parse_record(PERSONA, sections) == Persona(
        "", "CFO", autonomy="full", responsibilities=("Forecast cash", "Report; always")
    )
    assert parse_record(PERSONA, {"": "# Persona\n\nNothing yet.\n"}) is None


def test_capabilities_may_be_lists_under_headings() -> None:
    text = {"tools": "## Tools\n\n- email_send\n- memory_*\n", "skills": "## Skills\n- budgeting: expert\n"}
    assert parse_record(CAPABILITIES, text) == Capabilities(("email_send", "memory_*"), {"budgeting": "expert"})


def test_a_status_nobody_knows_is_an_error_and_a_common_word_is_understood() -> None:
    assert parse(GOAL, "x", "## X\nStatus: done\n").status == "achieved"
    assert parse(GOAL, "x", "## X\nStatus: On hold\n").status == "blocked"
    with pytest.raises(Damaged, match="expected one of pending, active"):
        parse(GOAL, "x", "## X\nStatus: quux\n")
