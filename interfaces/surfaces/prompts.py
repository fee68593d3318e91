"""Prompts of the MCP server: frequent requests of its users, worded so that answers rest on records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.yaml_file import read_yaml
from mabos.interfaces.surfaces.door import CONVERSATION, Door
from mabos.mind.forms import MIND_FILES


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with placeholders for required arguments; `uses` are the tools without which it is not offered."""

    name: str
    title: str
    description: str
    text: str
    uses: tuple[str, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)


_FILE = Path(__file__).parents[2] / "configs" / "mcp_prompts.yaml"
PROMPTS = tuple(Prompt(name, **{**given, "uses": tuple(given["uses"])}) for name, given in read_yaml(_FILE).items())


def select_prompts(door: Door) -> list[Prompt]:
    """Return the prompts whose tools are offered, in the order of the page."""
    names = {tool.name for tool in door.tools} | ({CONVERSATION} if door.talks else set())
    return [one for one in PROMPTS if names.issuperset(one.uses)]


def fill_prompt(door: Door, name: str, arguments: Mapping[str, str]) -> tuple[Prompt, str]:
    """Return a prompt and its text for these arguments; raises `UnknownId` and `InvalidArgument`."""
    prompt = next((one for one in select_prompts(door) if one.name == name), None)
    if prompt is None:
        raise unknown("prompt", name, [one.name for one in select_prompts(door)], argument="name")
    text = prompt.text
    for argument, note in prompt.arguments.items():
        value = arguments.get(argument, "").strip()
        if not value:
            raise InvalidArgument(f"the prompt {name!r} needs {argument!r}: {note}", argument=argument)
        text = text.replace(f"{{{argument}}}", door.services.agent(value).id if argument == "agent_id" else value)
    return prompt, text


def completions(door: Door, argument: str, begun: str) -> list[str]:
    """Return the completions of a prompt's or address's argument: agents, and files of a mind."""
    own = door.caller.agent_id
    known = {"agent_id": [own] if own else list(door.services.agents()), "file": list(MIND_FILES)}
    return [word for word in known.get(argument, []) if word.lower().startswith(begun.lower())]
