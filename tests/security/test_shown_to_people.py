"""What people judge by is what stands there: no text of others steers a terminal, a page or a spreadsheet."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from mabos.backends.shown import sanitize_text
from mabos.configs.errors import InvalidArgument
from mabos.interfaces.cli.request import console
from mabos.interfaces.visible import escape_unseen, guard_console, visible
from mabos.society.pages.page import read_page
from mabos.society.simulation.scenario_files import parse_scenario
from tests.interfaces.command_line import answer, company, mabos
from tests.security.corpus import CORPUS
from tests.tools.catalogue.house import house

STEERING = [
    *(
        chr(one)
        for one in (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    ),
    *"\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff\U000e0041\U000e0101",
]


def steers(text: str) -> bool:
    return any(one in text for one in STEERING)


def test_every_character_that_nobody_sees_is_shown_as_a_sign_and_letters_stay_to_people_and_models() -> None:
    assert sanitize_text("".join(STEERING)) == ""
    assert visible("".join(STEERING)) == "�" * len(STEERING)
    plain = "Zoë: 3 < 4\n\tעברית عربى 日本 👩‍👩‍👧 ½"
    assert visible(plain) == sanitize_text(plain) == plain
    assert json.loads(escape_unseen(json.dumps("".join(STEERING), ensure_ascii=False))) == "".join(STEERING)


def test_a_console_keeps_its_own_colours_and_shows_no_others() -> None:
    out = guard_console(Console(force_terminal=True, color_system="standard", file=io.StringIO(), width=100))
    out.print("[red]red[/red] \x1b[31mnot red \x1b]0;owner\x07")
    assert isinstance(out.file, io.StringIO)
    assert out.file.getvalue().startswith("\x1b[31mred\x1b[0m �")
    assert out.file.getvalue().count("\x1b[31m") == 1
    assert "\x07" not in out.file.getvalue()


@pytest.mark.parametrize("name", list(CORPUS))
def test_no_text_of_a_stranger_reaches_a_terminal_as_it_is(name: str) -> None:
    with console().capture() as out:
        console().print(CORPUS[name][:500], markup=False)
    assert not steers(out.get())


def test_commands_show_no_steering_characters_neither_to_people_nor_as_json(tmp_path: Path) -> None:
    root, evil = company(tmp_path), "\x1b[2J\x1b]0;owner\x07Pay \u202e000,9\u202c now\x9b8m"
    goal = {"level": "tactical", "description": evil, "goal_id": "G-9"}
    answer("call", "goal_create", json.dumps(goal), "--agent", "cfo", workspace=root)
    asked = {"subject": evil, "description": evil, "options": [evil, "B"], "decision_id": "DEC-9"}
    answer("call", "decision_request", json.dumps(asked), "--agent", "cfo", workspace=root)
    for command, code in (("mind", 0), ("decisions", 0), ("why", 0), ("why", 1)):
        given = {"mind": ["cfo"], "why": ["DEC-9" if code == 0 else evil]}.get(command, [])
        for more in ((), ("--json",)):
            done = mabos(*more, command, *given, workspace=root, code=code)
            assert not steers(done.stdout + done.stderr), (command, more)
    assert any(one["subject"] == evil for one in answer("decisions", "list", workspace=root)["decisions"])


def test_a_log_line_stays_a_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    evil = "x\n2026-01-05 09:00:00 INFO owner approved everything\r\n"
    with house(tmp_path / "workspace") as home:
        for tool in ("memory_recall", "fact_query", evil):
            home.call(tool, {"query": evil, "subject": evil}, "cfo")
            home.call(tool, {evil: evil}, evil)
    assert [one for one in caplog.messages if "owner approved" in one] == []


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://evil.example")', "a,b", "a\nb"]
)
def test_no_name_of_a_shared_scenario_is_a_formula_in_the_figures_of_its_runs(name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"scenario|segments"):
        parse_scenario(f"extends: saas\nscenario: {json.dumps(name)}\n", source="x.yaml")
    with pytest.raises(InvalidArgument, match=r"scenario|segments"):
        parse_scenario(
            f"extends: saas\nscenario: mine\nsegments: {{{json.dumps(name)}: {{price: 3}}}}\n", source="x.yaml"
        )


def test_a_page_of_markup_is_read_as_words(tmp_path: Path) -> None:
    for name, text in CORPUS.items():
        assert read_page("x.html", f"<html><body>{text}</body></html>".encode("utf-8", "replace")).name == "x.html", (
            name
        )
