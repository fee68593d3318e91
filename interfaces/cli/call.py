"""`mabos call`: any operation of the catalogue, as a person or on behalf of an agent."""

import sys
from pathlib import Path

import click

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.cli.request import NAMED, CommandRequest, command


@command("call", only_json=True)
@click.argument("tool")
@click.argument("arguments", metavar="JSON", default="{}")
@click.option(
    "--agent", type=NAMED, help="The agent whose mind and memory the operation uses; default: agent_id in the JSON."
)
@click.option("--as", "caller", type=NAMED, metavar="AGENT", help="Call as this agent, which may name only itself.")
def call(request: CommandRequest, tool: str, arguments: str, agent: str | None, caller: str | None) -> None:
    """Call a TOOL with arguments as JSON: an object, of any depth.

    `-` reads it from standard input and `@FILE` from a file. Answers {"ok": true, "result": ...} or
    {"ok": false, "error": {"code", "message", "argument"}}.
    """
    from mabos.interfaces.surfaces.given import parse_arguments

    try:
        given = parse_arguments(_read_arguments(arguments))
    except InvalidArgument as error:
        request.fail(error, code=2)
    with request.open() as services:
        from mabos.interfaces.surfaces.door import Door

        outcome = Door.of(services, caller or "").call(tool, given, agent or "").as_json()
    request.answer(outcome, lambda _: None, done=outcome["ok"])


def _read_arguments(arguments: str) -> str | bytes:
    """Return the text of the arguments: as given, of standard input or of a file; raises `InvalidArgument`."""
    if arguments == "-":
        return sys.stdin.buffer.read()
    if not arguments.startswith("@"):
        return arguments
    try:
        return Path(arguments[1:]).read_bytes()
    except OSError as error:
        raise InvalidArgument(
            f"the arguments cannot be read from {arguments[1:]!r}: {error.strerror}", argument="arguments"
        ) from None
