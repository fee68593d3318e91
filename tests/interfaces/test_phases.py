"""How a phase says what it did."""

from mabos.interfaces.views.phases import phase_line


def test_what_was_recalled_is_no_memory_that_was_kept_and_a_decision_point_says_what_it_did() -> None:
    assert phase_line({"phase": "deliberate", "noted": {"recalled": ["M-1", "M-2"]}}).endswith("recalled 2 memories")
    assert phase_line({"phase": "act", "noted": {"step": "choose", "status": "done"}}).endswith(
        "chose the way at choose"
    )


def test_what_past_work_says_is_told_once_and_in_words() -> None:
    told = phase_line(
        {
            "phase": "plan",
            "status": "done",
            "noted": {
                "experience": "Based on past work, consider: budget revision (pattern:budget_revision)",
                "applicable": ["pattern:budget_revision"],
            },
        }
    )
    assert told.partition("[/bold] ")[2] == ("based on past work, consider: budget revision (pattern:budget_revision)")


def test_a_goal_without_a_plan_is_told_by_name_with_what_each_template_lacked() -> None:
    told = phase_line(
        {
            "phase": "plan",
            "status": "done",
            "noted": {"unplanned": ["G-1"], "no_plan": {"G-1": ["growth_push: it needs runway_months >= 6"]}},
        },
        {"G-1": "Grow"}.__getitem__,
    )
    assert told.endswith("has no plan for Grow · because growth_push: it needs runway_months >= 6")
