"""Minds as hands leave them: what cannot be read is told with file and line, stays as it is, and stops nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.mind.files import parse
from mabos.mind.forms import RECORD_FORMS, SECTION_FORMS, STEP, Field, Form
from mabos.mind.history import History
from mabos.mind.maintenance import MindState, maintain
from mabos.mind.mind import Mind
from mabos.mind.model import Belief, Goal
from tests.mind.examples import NOW, a_mind

MANGLED = (
    "about half",
    "-1",
    "101%",
    "nan",
    "1e999",
    "9" * 5_000,
    '{"a": NaN}',
    '{"a": "\\ud800"}',
    '{"a": ' + "1" * 5_000 + "}",
    '{"a": ' + "[" * 50_000 + "]" * 50_000 + "}",
)
GROW = "# Goals\n\n## Grow\n\n- **Id:** G-1\n- **Progress:** {}\n\nA note of mine.\n"


def written(directory: Path, name: str, text: str) -> Mind:
    (directory / name).write_text(text, "utf-8")
    return a_mind(directory)[0]


def a_plan(step: str, *, more: str = "") -> str:
    return f"# Plans\n\n## Grow\n\n- **Id:** P-1\n{more}\n1. one\n   - **Id:** a\n{step}"


@pytest.mark.parametrize(
    ("name", "field"), [("Desires.md", "Deadline"), ("Intentions.md", "Deadline"), ("Beliefs.md", "Expires")]
)
def test_the_last_day_of_all_is_a_deadline_that_does_not_pass(tmp_path: Path, name: str, field: str) -> None:
    mind = written(tmp_path, name, f"## Grow\n\nIt grows\n\n- **Id:** X-1\n- **{field}:** 9999-12-31\n")
    found = maintain(MindState.of(mind), NOW)
    assert (found.archived, found.dropped) == ((), ())


def test_of_two_sections_with_one_id_the_second_is_told_and_neither_is_overwritten(tmp_path: Path) -> None:
    first, second = "## Grow\n\n- **Id:** G-1\n- **Progress:** 10\n\n", "## Shrink\n\n- **Id:** G-1\n\nMy words.\n"
    mind = written(tmp_path, "Goals.md", first + second)
    (problem,) = mind.problems
    assert (problem.file, problem.line) == ("Goals.md", 6)
    assert problem.message == "'Shrink': its Id 'G-1' is that of 'Grow' too; give it another"
    assert [one.description for one in mind.goals] == ["Grow"]
    mind.save(replace(mind.goal("G-1"), progress=20.0))
    mind.close()
    assert (tmp_path / "Goals.md").read_text() == first.replace("10", "20") + second


def test_a_section_that_gets_the_id_of_another_while_the_mind_is_open_is_told(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(Goal("G-1", "Grow"), Goal("G-2", "Shrink"))
    mind.checkpoint()
    assert not mind.problems
    path = tmp_path / "Goals.md"
    path.write_text(path.read_text().replace("G-2", "G-1"))
    mind.refresh()
    assert ["'Shrink'" in one.message for one in mind.problems] == [True]


def test_two_steps_with_one_id_are_told_since_one_would_be_done_as_the_other(tmp_path: Path) -> None:
    mind = written(tmp_path, "Plans.md", a_plan("2. two\n   - **Id:** a\n"))
    assert [one.message for one in mind.problems] == ["'Grow': two steps have the id 'a'; give one of them another"]


def refusals(field: Field) -> list[str]:
    """Return the texts that a field refuses."""
    found = []
    for text in MANGLED:
        try:
            field.spelling.read(text)
        except ValueError:
            found.append(text)
    return found


def refusing(form: Form) -> Field | None:
    """Return the first field of a form that refuses something."""
    return next(filter(refusals, form.fields), None)


@pytest.mark.parametrize("form", [*SECTION_FORMS, *RECORD_FORMS, STEP], ids=lambda form: form.type.__name__)
def test_a_value_that_a_field_refuses_is_told_in_one_short_line_that_names_it(form: Form) -> None:
    for field in form.fields:
        for text in refusals(field):
            with pytest.raises(Damaged, match=f"{field.label} is .*; expected ") as fault:
                parse(form, "X-1", f"## Grow\n\n- **Id:** X-1\n- **{field.label}:** {text}\n")
            assert len(fault.value.message) < 300


@pytest.mark.parametrize("form", [*filter(refusing, SECTION_FORMS)], ids=lambda form: form.file)
def test_an_unreadable_section_is_told_and_kept_and_the_agents_stands_beside_it(tmp_path: Path, form: Form) -> None:
    field = refusing(form)
    assert field is not None
    own = "## Grow\n\nIt grows\n\n- **Id:** X-1\n"
    mangled = f"{own}- **{field.label}:** {refusals(field)[0]}\n\nA note of mine.\n"
    mind = written(tmp_path, form.file, own)
    (tmp_path / form.file).write_text(mangled)
    mind.refresh()
    assert [(one.file, one.line) for one in mind.problems] == [(form.file, 6)]
    mind.save(parse(form, "X-1", own))
    mind.close()
    assert (tmp_path / form.file).read_text() == mangled
    assert "X-1" in (tmp_path / f"{form.file}.conflict").read_text()


def test_a_step_is_told_with_its_plan(tmp_path: Path) -> None:
    mind = written(tmp_path, "Plans.md", a_plan("   - **Cost:** nan\n"))
    assert [one.message for one in mind.problems] == ["'Grow': Cost is 'nan'; expected a number"]


def test_half_a_character_is_no_character_and_does_not_stop_the_next_write(tmp_path: Path) -> None:
    mind = written(tmp_path, "Goals.md", "## Grow &#55296; so\n\n- **Id:** G-1\n")
    mind.save(replace(mind.goal("G-1"), progress=3.0))
    assert mind.goal("G-1") == Goal("G-1", "Grow &#55296; so", progress=3.0)


def test_what_stands_beside_is_added_to_whatever_bytes_are_there(tmp_path: Path) -> None:
    mind = written(tmp_path, "Goals.md", GROW.format("10%"))
    goal, beside = mind.goal("G-1"), tmp_path / "Goals.md.conflict"
    beside.write_bytes(b"\xff kept\n")
    (tmp_path / "Goals.md").write_text(GROW.format("20%"))
    mind.save(replace(goal, progress=30.0))
    assert beside.read_bytes().startswith(b"\xff kept\n<!-- Somebody changed")


def test_history_passes_over_what_could_not_be_read_for_a_while(tmp_path: Path) -> None:
    text = "# Beliefs\n\n## Grow\n\n- **Id:** B-1\n- **Certainty:** {}\n- **Subject:** grow\n- **Value:** 3\n"
    mind = written(tmp_path, "Beliefs.md", text.format("0.7"))
    for number, now in enumerate((text.format("sure"), "# Beliefs\n")):
        mind.save(Goal(f"G-{number}", "Grow"))
        (tmp_path / "Beliefs.md").write_text(now)
        mind.refresh()
    mind.save(Goal("G-9", "Grow"))
    gone = History(mind).gone(Belief)
    assert [(one.id, one.certainty) for one in gone] == [("B-1", 0.7)]
