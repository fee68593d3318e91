"""`mabos call`: any operation of the catalogue, as a person or on behalf of an agent."""

import json
import sys
from typing import Any

import click

from configs.errors import InvalidArgument
from mabos.cli.request import Request, command


@command("call", only_json=True)
@click.argument("tool")
@click.argument("arguments", metavar="JSON", default="{}")
@click.option("--agent", help="The agent whose mind and memory the operation works on; else agent_id in the JSON.")
def call(request: Request, tool: str, arguments: str, agent: str | None) -> None:
    """Call a TOOL with arguments as JSON (`-` reads them from standard input).

    Answers {"ok": true, "result": ...} or {"ok": false, "error": {"code", "message", "argument"}}.
    """
    try:
        given = parsed(sys.stdin.buffer.read() if arguments == "-" else arguments)
    except InvalidArgument as error:
        request.fail(error, code=2)
    with request.open(create=True) as services:
        from tools.agent import PERSON
        from tools.call import call as perform

        outcome = perform(services, tool, given, caller=PERSON, agent_id=agent).as_json()
    request.answer(outcome, lambda _: None, done=outcome["ok"])


def parsed(text: str | bytes) -> dict[str, Any]:
    """Return the arguments that `text` spells; raises `InvalidArgument` where it is not a JSON object."""
    try:
        given = json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise InvalidArgument(f"the arguments are not JSON: {error}", argument="arguments") from None
    except RecursionError:
        raise InvalidArgument("the arguments are nested too deep to be read", argument="arguments") from None
    if not isinstance(given, dict):
        message = f'the arguments are a JSON {type(given).__name__}; expected an object, as {{"goal_id": "G-1"}}'
        raise InvalidArgument(message, argument="arguments")
    return given


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's fields; one that is given twice would be read as only the last."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidArgument(f"the arguments give {twice!r} twice; leave one of them out", argument="arguments")
    return fields
