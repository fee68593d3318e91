"""How a phase says what it did."""

from mabos.views.phases import phase_line


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
    assert told.endswith("has no plan for Grow · looked at growth_push: it needs runway_months >= 6")
