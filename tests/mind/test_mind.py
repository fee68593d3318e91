"""A mind on disk: views, transactions, hand edits, and what an idle look costs."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import UnknownId
from mabos.mind.files import render
from mabos.mind.forms import MIND_FILES
from mabos.mind.mind import Mind
from mabos.mind.model import (
    Belief,
    Capabilities,
    Desire,
    Goal,
    Intention,
    Item,
    Learning,
    Persona,
    Plan,
    Playbook,
    Step,
)
from tests.mind import strategies as some
from tests.mind.examples import S1_STORES, a_mind


def test_an_empty_folder_is_an_empty_mind_and_looking_at_it_writes_nothing(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path / "cfo")
    assert (mind.beliefs, mind.desires, mind.plans, mind.playbooks) == ((), (), (), ())
    assert (mind.persona, mind.capabilities) == (Persona("cfo"), Capabilities())
    assert mind.value("cash") is None
    assert not (tmp_path / "cfo").exists()


def test_laying_out_makes_all_twelve_files_and_doing_it_again_changes_nothing(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    seq = mind.lay_out()
    assert mind.lay_out() == seq
    mind.close()
    assert {path.name for path in tmp_path.glob("*.md")} == set(MIND_FILES)
    assert (tmp_path / "Beliefs.md").read_text() == "# Beliefs\n"


def test_what_is_saved_is_there_for_the_next_who_opens_it(tmp_path: Path) -> None:
    items = (
        Persona("cfo", "CFO", responsibilities=("Report",)),
        Capabilities(("belief_get",), {"budgeting": "expert"}),
        Belief("B-1", "churn_rate is 3.2%", 0.9, subject="churn_rate", value="3.2%"),
        Desire("D-1", "Grow", priority=0.5),
        Goal("G-1", "Grow"),
        Intention("I-1", "G-1", "P-1", description="Grow"),
        Plan("P-1", "G-1", "grow", steps=(Step("a", "do it"),)),
        Learning("L-1", "It works"),
        Playbook("Close", "monthly", ("one", "two"), "done"),
    )
    mind, _ = a_mind(tmp_path)
    mind.save(*items, why="born")
    mind.close()
    again, _ = a_mind(tmp_path)
    assert (again.persona, again.capabilities) == items[:2]
    assert (again.beliefs, again.desires, again.goals) == ((items[2],), (items[3],), (items[4],))
    assert (again.intentions, again.plans) == ((items[5],), (items[6],))
    assert (again.learnings, again.playbooks) == ((items[7],), (items[8],))
    assert again.belief("B-1") == items[2]
    assert again.value("churn_rate") == "3.2%"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(some.records, st.booleans()), min_size=1, max_size=6))
def test_what_is_held_after_saving_is_what_the_next_who_opens_it_reads(saves: list[tuple[Item, bool]]) -> None:
    with TemporaryDirectory() as folder:
        mind, _ = a_mind(Path(folder))
        for item, look in saves:
            mind.save(item)
            if look:
                assert _held(mind) == _held(a_mind(Path(folder))[0])
        assert _held(mind) == _held(a_mind(Path(folder))[0])


def _held(mind: Mind) -> tuple[object, ...]:
    return (
        *(mind.beliefs, mind.desires, mind.goals, mind.intentions, mind.plans),
        *(mind.commitments, mind.learnings, mind.playbooks, mind.problems),
        *(mind.goal(one.id) for one in mind.goals),
        *(mind.belief(one.id) for one in mind.beliefs),
    )


def test_a_record_that_its_file_cannot_hold_is_a_problem_at_once(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "Sure beyond measure", 1.5))
    assert (mind.beliefs, len(mind.problems)) == ((), 1)
    mind.save(Belief("B-2", "As a whole number", 1))
    assert [(type(one.certainty), one.id) for one in mind.beliefs] == [(float, "B-2")]
    assert len(mind.problems) == 1


def test_a_section_in_our_own_form_keeps_that_form_when_the_next_who_opens_it_changes_it(tmp_path: Path) -> None:
    first, _ = a_mind(tmp_path)
    belief = Belief("B-1", "Churn is high", 0.9, source="crm")
    first.save(belief)
    first.close()
    again, _ = a_mind(tmp_path)
    changed = replace(again.belief("B-1"), subject="churn", value="5%")
    again.save(changed)
    assert again.file("Beliefs.md").endswith(render(changed).rstrip("\n") + "\n")


def test_saving_the_same_again_writes_nothing(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    seq = mind.save(Goal("G-1", "Grow"))
    assert mind.save(Goal("G-1", "Grow")) == seq
    assert mind.save() == seq


def test_an_unknown_id_names_the_nearest(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Goal("G-churn", "Reduce churn"))
    with pytest.raises(UnknownId, match="no goal 'G-chrun'; did you mean 'G-churn'") as caught:
        mind.goal("G-chrun")
    assert caught.value.argument == "goal_id"
    with pytest.raises(UnknownId, match=r"no file 'Believes\.md'"):
        mind.file("Believes.md")


def test_desires_stand_in_the_order_of_their_priority(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Desire("D-1", "one", priority=0.1), Desire("D-2", "two", priority=0.9))
    mind.save(Desire("D-3", "three", priority=0.5))
    assert [desire.id for desire in mind.desires] == ["D-2", "D-3", "D-1"]
    mind.save(replace(mind.desire("D-1"), priority=0.95))
    mind.close()
    assert [desire.id for desire in a_mind(tmp_path)[0].desires] == ["D-1", "D-2", "D-3"]


def test_an_archived_intention_leaves_the_list_and_is_remembered_with_its_reason(tmp_path: Path) -> None:
    mind, clock = a_mind(tmp_path)
    mind.save(Intention("I-1", "G-1", "P-1", progress=0.25), Intention("I-2", "G-2", "P-2"))
    mind.archive(replace(mind.intention("I-1"), status="stalled", reason="nothing moved"))
    clock.advance(timedelta(days=1))
    mind.archive(mind.intention("I-2"), "no longer wanted")
    assert mind.intentions == ()
    assert mind.file("Intentions.md") == (
        "# Intentions\n\n## Archive 2026-02\n\n"
        "- **I-1** stalled 2026-02-24: nothing moved (goal G-1, plan P-1, open-minded, progress 0.25)\n"
        "- **I-2** active 2026-02-25: no longer wanted (goal G-2, plan P-2, open-minded, progress 0)\n"
    )


def test_the_memory_file_tells_the_days_in_order(tmp_path: Path) -> None:
    mind, clock = a_mind(tmp_path)
    mind.note_memory("Read the\nmail")
    clock.advance(timedelta(hours=2))
    mind.note_memory("Wrote a plan")
    clock.advance(timedelta(days=1))
    mind.note_memory("Slept")
    assert mind.file("Memory.md") == (
        "# Memory\n\n## 2026-02-24\n\n- 12:00 Read the mail\n- 14:00 Wrote a plan\n\n## 2026-02-25\n\n- 14:00 Slept\n"
    )


def test_prose_sections_are_replaced_by_their_title(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.write_section("Knowledge.md", "Runway", "Cash by burn.")
    mind.write_section("Knowledge.md", "Runway", "Cash divided by net burn.")
    assert mind.file("Knowledge.md") == "# Knowledge\n\n## Runway\n\nCash divided by net burn.\n"


def test_a_hand_written_file_is_read_and_only_what_changes_is_rewritten(tmp_path: Path) -> None:
    (tmp_path / "Beliefs.md").write_text("# What I hold\n" + S1_STORES)
    mind, _ = a_mind(tmp_path)
    assert [belief.id for belief in mind.beliefs] == ["session-store", "session-store-2"]
    mind.save(replace(mind.beliefs[0], certainty=0.4))
    mind.close()
    assert (tmp_path / "Beliefs.md").read_text() == "# What I hold\n" + S1_STORES.replace("0.9", "0.4")


def test_a_hand_edit_of_another_section_is_merged_with_the_agents_own(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "It rains", 0.9), Belief("B-2", "It is cold", 0.9))
    mind.checkpoint()
    path = tmp_path / "Beliefs.md"
    path.write_text(path.read_text().replace("It is cold", "It is warm") + "\n## By hand\nCertainty: 0.7\n")
    mind.save(Belief("B-1", "It rains", 0.3))
    assert [(belief.id, belief.statement, belief.certainty) for belief in mind.beliefs] == [
        ("B-1", "It rains", 0.3), ("B-2", "It is warm", 0.9), ("by-hand", "By hand", 0.7),
    ]  # fmt: skip


def test_a_hand_edit_of_the_same_section_keeps_both_changes_where_they_are_in_different_fields(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "It rains", 0.9, source="radar"))
    belief = mind.belief("B-1")
    mind.checkpoint()
    path = tmp_path / "Beliefs.md"
    path.write_text(path.read_text().replace("radar", "window"))
    mind.save(replace(belief, certainty=0.3))
    assert mind.belief("B-1") == Belief("B-1", "It rains", 0.3, source="window")


def test_a_hand_edit_of_the_same_field_stands_and_the_agents_version_lies_beside(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "It rains", 0.9))
    belief = mind.belief("B-1")
    mind.checkpoint()
    path = tmp_path / "Beliefs.md"
    path.write_text(path.read_text().replace("0.9", "0.2"))
    mind.save(replace(belief, certainty=0.4, status="flagged"))
    assert mind.belief("B-1") == Belief("B-1", "It rains", 0.2, status="flagged")
    assert "- **Certainty:** 0.4" in (tmp_path / "Beliefs.md.conflict").read_text()


def test_of_two_saves_without_a_look_between_them_the_later_stands_and_is_no_conflict(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "It rains", 0.9, source="radar"))
    belief = mind.belief("B-1")
    for certainty in (0.5, 0.6, 0.7):
        mind.save(replace(belief, certainty=certainty))
    assert mind.belief("B-1") == Belief("B-1", "It rains", 0.7, source="radar")
    assert not (tmp_path / "Beliefs.md.conflict").exists()


def test_a_hand_edit_between_two_saves_without_a_look_stands(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "It rains", 0.9))
    belief = mind.belief("B-1")
    mind.checkpoint()
    path = tmp_path / "Beliefs.md"
    path.write_text(path.read_text().replace("0.9", "0.2"))
    for certainty in (0.4, 0.5):
        mind.save(replace(belief, certainty=certainty))
    assert mind.belief("B-1").certainty == 0.2
    assert "- **Certainty:** 0.4" in (tmp_path / "Beliefs.md.conflict").read_text()


def test_another_processes_change_is_seen(tmp_path: Path) -> None:
    one, _ = a_mind(tmp_path)
    other, _ = a_mind(tmp_path)
    one.save(Belief("B-1", "It rains", 0.9))
    assert other.belief("B-1").certainty == 0.9
    other.save(Belief("B-1", "It rains", 0.5))
    assert one.refresh()
    assert not one.refresh()
    assert one.belief("B-1").certainty == 0.5


def test_a_section_that_cannot_be_read_is_reported_with_its_line_and_left_alone(tmp_path: Path) -> None:
    text = "# Beliefs\n\n## Fine\n\nCertainty: 0.9\n\n## Broken\n\nCertainty: very\n"
    (tmp_path / "Beliefs.md").write_text(text)
    mind, _ = a_mind(tmp_path)
    assert [belief.id for belief in mind.beliefs] == ["fine"]
    (problem,) = mind.problems
    assert (problem.file, problem.line) == ("Beliefs.md", 9)
    assert "Certainty is 'very'" in problem.message
    mind.save(replace(mind.belief("fine"), certainty=0.8))
    mind.close()
    assert (tmp_path / "Beliefs.md").read_text() == text.replace("0.9", "0.8")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("- **Autonomy:** fulll", "Autonomy is 'fulll'; expected one of none, limited, full"),
        ("- **Autonomy for:** budget: full; pricing: non", "'pricing' is 'non'; expected one of none, limited, full"),
    ],
)
def test_a_slip_in_the_persona_is_reported_and_frees_the_agent_from_nothing(
    tmp_path: Path, field: str, said: str
) -> None:
    (tmp_path / "Persona.md").write_text(f"# Persona\n\n## Persona\n\n- **Title:** CFO\n{field}\n")
    mind, _ = a_mind(tmp_path)
    assert (mind.persona.autonomy, mind.persona.autonomy_for) == ("none", {})
    assert [problem.file for problem in mind.problems] == ["Persona.md"]
    assert said in mind.problems[0].message


def test_levels_of_autonomy_are_read_as_people_write_them(tmp_path: Path) -> None:
    (tmp_path / "Persona.md").write_text("## Persona\n\nAutonomy: Full\nAutonomy for: pricing: None; hiring: LIMITED\n")
    mind, _ = a_mind(tmp_path)
    assert mind.persona.autonomy == "full"
    assert mind.persona.autonomy_for == {"pricing": "none", "hiring": "limited"}


def test_the_surest_held_belief_answers(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(
        Belief("B-1", "x", 0.7, subject="acme", predicate="runway_months", value="9"),
        Belief("B-2", "x", 0.9, subject="Acme", predicate="Runway months", value="8"),
        Belief("B-3", "x", 0.99, subject="acme", predicate="runway_months", value="7", status="flagged"),
        Belief("B-4", "churn_rate is 3.2%", 0.9),
    )
    assert mind.value("acme", "runway_months") == "8"
    assert mind.lookup("runway_months") == "8"
    assert mind.lookup("acme.runway_months") == "8"
    assert mind.value("acme") is None
    assert mind.value("churn_rate") == "3.2%"
    mind.save(replace(mind.belief("B-2"), status="flagged"))
    assert mind.value("acme", "runway_months") == "9"


def test_views_are_the_same_objects_until_their_file_changes(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Belief("B-1", "It rains", 0.9), Belief("B-2", "It is cold", 0.9))
    before = mind.beliefs
    mind.save(Goal("G-1", "Grow"))
    assert mind.beliefs is before
    mind.save(Belief("B-2", "It is cold", 0.1))
    assert mind.beliefs[0] is before[0]
    assert mind.beliefs[1] is not before[1]


def test_an_idle_look_costs_well_under_a_millisecond(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(*(Belief(f"B-{n}", f"thing {n} is so", 0.5) for n in range(1_000)))
    assert len(mind.beliefs) == 1_000
    started = perf_counter()
    for _ in range(200):
        mind.refresh()
        assert mind.beliefs
    # Measured at 0.06 ms; the bound leaves room for a busy machine.
    assert (perf_counter() - started) / 200 < 0.001


def test_a_record_whose_name_begins_as_an_archive_does_is_still_there_when_it_is_read_again(tmp_path: Path) -> None:
    lesson = Learning("LRN-1", "Archive what nobody reads", context="tidying up")
    mind, _ = a_mind(tmp_path)
    mind.save(lesson)
    mind.close()
    again, _ = a_mind(tmp_path)
    assert again.learnings == (lesson,)


@settings(max_examples=25, deadline=None)
@given(st.lists(some.records, max_size=5))
def test_whatever_is_saved_survives_closing_and_opening(tmp_path_factory: pytest.TempPathFactory, items: list) -> None:  # type: ignore[type-arg]  # any records
    directory = tmp_path_factory.mktemp("mind")
    mind, _ = a_mind(directory)
    mind.save(*items)
    seen = (mind.beliefs, set(mind.desires), mind.goals, mind.intentions, mind.commitments, mind.learnings)
    mind.close()
    again, _ = a_mind(directory)
    assert again.problems == ()
    assert seen == (
        again.beliefs, set(again.desires), again.goals, again.intentions, again.commitments, again.learnings,
    )  # fmt: skip


def test_a_list_above_the_first_heading_is_said_not_to_be_read_with_its_line(tmp_path: Path) -> None:
    goals = (
        "# Goals\n\nWhat we aim at.\n\n- [ ] Reach $100K MRR\n- [ ] Hire two\n\n## Keep customers\n\nPriority: 0.9\n"
    )
    (tmp_path / "Goals.md").write_text(goals)
    mind, _ = a_mind(tmp_path)
    assert [goal.description for goal in mind.goals] == ["Keep customers"]
    (problem,) = mind.problems
    assert (problem.file, problem.line) == ("Goals.md", 5)
    assert "Reach $100K MRR" in problem.message
    assert "above the first '## ' heading" in problem.message
    mind.save(replace(mind.goals[0], priority=0.8))
    mind.close()
    assert (tmp_path / "Goals.md").read_text() == goals.replace("0.9", "0.8")


def test_a_new_record_whose_id_somebody_else_has_taken_gets_another(tmp_path: Path) -> None:
    (one, _), (other, _) = a_mind(tmp_path), a_mind(tmp_path)
    assert (one.goals, other.goals) == ((), ())
    first = one.add(Goal("G-1-abcd", "Grow", created="2026-01-01"))
    second = other.add(Goal("G-1-abcd", "Save", created="2026-01-01"), Desire("D-1", "Both"))
    assert first.id == "G-1-abcd"
    assert second.id != first.id
    assert second.id.startswith("G-")
    one.refresh()
    assert {goal.description for goal in one.goals} == {"Grow", "Save"}
    assert [desire.id for desire in one.desires] == ["D-1"]
