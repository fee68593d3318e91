"""The front of the command line: what it lists, and how it refuses."""

import pytest

from mabos.cli.front import COMMANDS, front
from tests.mabos.command_line import mabos


def test_help_names_every_command_with_what_it_does() -> None:
    lines = mabos("--help").stdout.splitlines()
    for name in COMMANDS:
        line = next(line for line in lines if line.split()[:1] == [name])
        assert len(line.split()) > 3, f"{name} says nothing about itself"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_takes_a_workspace_and_json(name: str) -> None:
    text = mabos(name, "--help").stdout
    assert "--workspace" in text
    assert "--json" in text


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    assert "did you mean 'decisions'?" in mabos("decision", code=2).stderr


def test_wrong_usage_ends_with_two_and_says_why_on_standard_error() -> None:
    result = mabos("business", "create", code=2)
    assert result.stdout == ""
    assert "Missing argument" in result.stderr


def test_without_a_command_the_help_is_shown() -> None:
    result = mabos(code=2)
    assert "Commands:" in result.output


def test_the_commands_stand_in_the_order_in_which_a_newcomer_meets_them() -> None:
    assert front.list_commands(front.make_context("mabos", ["init"]))[:3] == ["init", "business", "run"]
