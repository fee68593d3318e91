"""What docs/surfaces.md shows is true: its commands answer as printed, and its programs run after them."""

from pathlib import Path

from tests.conftest import ROOT
from tests.test_readme import answers_as_printed, blocks, equip, run

PAGE = (ROOT / "docs" / "surfaces.md").read_text("utf-8")


def test_the_page_of_surfaces_answers_as_printed_and_its_programs_run(tmp_path: Path) -> None:
    folder = equip(tmp_path)
    answers_as_printed(PAGE, folder)
    programs = blocks("python", PAGE)
    assert len(programs) == 3
    shown = []
    for number, program in enumerate(programs):
        script = folder / f"program_{number}.py"
        script.write_text(program, "utf-8")
        done = run(f"python {script}", folder)
        assert done.returncode == 0, f"{program}\n{done.stdout}"
        shown.append(done.stdout)
    assert ["The bank wants six months of runway" in text for text in shown] == [True, True, False]
