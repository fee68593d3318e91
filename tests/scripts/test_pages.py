"""The pages and pictures that are written from code say what the code says."""

import re
from pathlib import Path

import click

from mabos.configs.settings import DEFAULTS, environment
from mabos.interfaces.cli import front
from mabos.interfaces.studio import MACHINES
from scripts import cli_page, pictures, python_page, session_page, settings_page

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_commands_is_the_one_that_the_commands_give() -> None:
    assert cli_page.PAGE.read_text("utf-8") == cli_page.page(front), "docs/cli.md is old: python -m scripts.cli_page"


def test_the_page_of_commands_has_every_command_and_option() -> None:
    page = cli_page.page(front)
    context = click.Context(front)
    for name in front.list_commands(context):
        command = front.get_command(context, name)
        assert command is not None
        assert f"\n## mabos {name}\n" in page
        for option in (one for one in command.params if isinstance(one, click.Option) and not one.hidden):
            assert option.name in cli_page.EVERYWHERE or max(option.opts, key=len) in page


def test_the_page_of_settings_is_the_one_that_the_defaults_give() -> None:
    page = settings_page.page(DEFAULTS.read_text("utf-8"))
    assert settings_page.PAGE.read_text("utf-8") == page, "docs/settings.md is old: python -m scripts.settings_page"


def test_the_page_of_settings_has_every_setting_and_every_variable_that_is_read() -> None:
    page = settings_page.PAGE.read_text("utf-8")
    names = re.findall(
        r"^ *([a-z_]+):", re.sub(r"^ {6,}.*$", "", DEFAULTS.read_text("utf-8"), flags=re.MULTILINE), re.M
    )
    assert [name for name in names if f"{name}`" not in page and not re.search(rf"(## |\.){name}\b", page)] == []
    sources = [path.read_text("utf-8") for folder in ("configs", "tools", "backends", "mabos") for path in
               (ROOT / folder).rglob("*.py")]  # fmt: skip
    read = {name for text in sources for name in re.findall(r"(?:\.get|\.secret)\(\"([A-Z][A-Z0-9_]+)\"", text)}
    assert {"MABOS_NOW", "OPENAI_BASE_URL", "NEO4J_URI"} <= read
    assert read - set(settings_page.VARIABLES) == set()
    assert environment({"MABOS_WORKSPACE": "somewhere"}).workspace == Path("somewhere")


def test_the_page_of_python_is_the_one_that_the_docstrings_give() -> None:
    assert python_page.PAGE.read_text("utf-8") == python_page.page(), (
        "docs/python.md is old: python -m scripts.python_page"
    )


def test_each_picture_is_the_one_that_its_machine_gives() -> None:
    kept = {path.stem: path.read_text("utf-8") for path in pictures.FOLDER.glob("*.svg")}
    assert {*MACHINES, "reasons", "trace", "whole"} == set(kept)
    drawn = pictures.pictures()
    assert [name for name in kept if kept[name] != drawn[name]] == [], "pictures are old: python -m scripts.pictures"


def test_a_picture_shows_every_step_with_what_it_does_and_needs_nothing_from_elsewhere() -> None:
    picture = pictures.drawing("bdi")
    assert all(f">{phase}</text>" in picture for phase in ("perceive", "deliberate", "plan", "act", "learn"))
    assert "revise beliefs" in " ".join(re.sub(r"<[^>]+>", " ", picture).split())
    assert set(re.findall(r"https?://[^\"]+", picture)) == {"http://www.w3.org/2000/svg"}


def test_the_recorded_message_is_what_a_session_is_today() -> None:
    def parts(page: str) -> dict[str, str]:
        plain = re.sub(r"-\d{13}-[0-9a-f]{4}", "", page)
        return {title: text for title, _, text in (one.partition("\n") for one in plain.split("\n## ")[1:])}

    kept, made = parts(session_page.PAGE.read_text("utf-8")), parts(session_page.page())
    for title in (
        "How you work",
        "Answer: two calls side by side",
        "Results",
        "What the owner reads",
        "The other phases",
    ):
        assert kept[title] == made[title], f"{title} is old: python -m scripts.session_page"
    assert session_page.ORDER.name in kept["Tools"]
