"""The front of the command line: what it lists, and how it refuses."""

from pathlib import Path

import pytest

from mabos.interfaces.cli.front import COMMANDS, front
from tests.interfaces.command_line import answer, company, mabos


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
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("run",), ("nope",), ("mind", "cfo", "--nope"), ("memory", "nope"), ("tools", "--by", "x")]
)
def test_wrong_usage_is_one_line_or_one_json(words: tuple[str, ...]) -> None:
    told = mabos(*words, code=2)
    assert (told.stdout, told.stderr.count("\n"), "--help" in told.stderr) == ("", 1, True)
    error = answer(*words, code=2)["error"]
    assert error["code"] == "invalid_argument"
    assert error["message"] in told.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("init", ""),
        ("business", "list", "--workspace", ""),
        ("run", "cfo", "-w", ""),
        ("call", "belief_get", "--as", ""),
        ("call", "belief_get", "--agent", ""),
        ("serve", "--agent", ""),
        ("serve", "--http", ""),
        ("mcp", "--agent", ""),
        ("mind", "cfo", "--at", ""),
        ("why", "B-1", "--agent", ""),
        ("memory", "consolidate", "--agent", ""),
        ("heartbeat", "--agent", ""),
        ("heartbeat", "--every", ""),
        ("live", "--for", ""),
        ("graph", "sync", "--business", ""),
        ("workflows", "--business", ""),
        ("simulate", "saas", "--out", ""),
        ("compare", "", "b"),
        ("replay", ""),
    ],
)
def test_a_name_that_a_shell_left_empty_is_wrong_usage_and_never_means_all_or_here(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mabos(*words, code=2).stderr.startswith("mabos: ")
    assert list(tmp_path.iterdir()) == []


def test_a_slip_in_a_range_of_seeds_fills_no_memory() -> None:
    assert "more than 10,000 runs" in mabos("simulate", "saas", "--seeds", "1-99999999999", code=1).stderr


def test_without_a_command_the_help_is_shown() -> None:
    result = mabos(code=2)
    assert "Commands:" in result.output


def test_the_commands_stand_in_the_order_in_which_a_newcomer_meets_them() -> None:
    assert front.list_commands(front.make_context("mabos", ["init"]))[:3] == ["init", "business", "run"]


def test_what_ctrl_c_ends_says_one_line_and_ends_with_130(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    workspace = company(tmp_path / "acme")
    monkeypatch.setattr("mabos.interfaces.cli.request.CommandRequest.open", interrupted)
    result = mabos("decisions", workspace=workspace, code=130)
    assert (result.stdout, result.stderr) == ("", "mabos: stopped\n")
