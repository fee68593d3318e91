"""The generator of docs/cli.md from the commands: `python -m scripts.cli_page`; a test compares the two."""

from collections.abc import Iterator
from pathlib import Path

import click

from mabos.interfaces.cli import front

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
EVERYWHERE = ("help", "json", "workspace")
_OPENING = """\
# The command line

Every command takes `--workspace DIR` (else `$MABOS_WORKSPACE`, else `./workspace`) and `--json`, before or after its
name. `mabos init` and `mabos business create` create the workspace; all other commands refuse a folder that is not one.
With `--json`, standard output has only JSON; messages about the work go to standard error.
The exit code is 0 for done, 1 for refused or failed, 2 for wrong usage, 130 after Ctrl-C. An error is one line
that states what is wrong, where, and what to do. `python -m scripts.cli_page` writes this page from the commands.
"""


def page(group: click.Group) -> str:
    """Return the page of a group of commands, as Markdown."""
    parts = [_OPENING, "\n".join(_contents(group))]
    for name, command in _commands(group):
        parts.append("\n".join(_section(f"mabos {name}", command, "##")))
        if isinstance(command, click.Group):
            parts += ["\n".join(_section(f"mabos {name} {one}", sub, "###")) for one, sub in _commands(command)]
    return "\n".join(parts)


def _commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield name, command


def _contents(group: click.Group) -> Iterator[str]:
    yield "| Command | Purpose |"
    yield "| --- | --- |"
    for name, command in _commands(group):
        yield f"| [`mabos {name}`](#mabos-{name}) | {_cell(_said(command)[0])} |"
    yield ""


def _section(path: str, command: click.Command, level: str) -> Iterator[str]:
    yield f"{level} {path}\n"
    usage = " ".join(command.collect_usage_pieces(click.Context(command)))
    yield f"`{path} {usage}`\n"
    for paragraph in _said(command):
        yield f"{paragraph}\n"
    options = [one for one in command.params if isinstance(one, click.Option) and one.name not in EVERYWHERE]
    if options:
        yield "| Option | |"
        yield "| --- | --- |"
        yield from (_row(one, command) for one in options if not one.hidden)
        yield ""


def _said(command: click.Command) -> list[str]:
    """Return the paragraphs of a command's help, each on one line."""
    paragraphs = (command.help or "").replace("\b", "").split("\n\n")
    return [" ".join(one.split()) for one in paragraphs if one.strip()]


def _row(option: click.Option, command: click.Command) -> str:
    said = option.get_help_record(click.Context(command))
    names, meaning = said or ("", "")
    return f"| `{_cell(names)}` | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(front), encoding="utf-8")


if __name__ == "__main__":
    main()
