"""Prompts of the MCP server: frequent requests of a client's user, written so that answers rest on records."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mabos.configs.errors import InvalidArgument, unknown
from mabos.interfaces.surfaces.door import CONVERSATION, Door
from mabos.mind.forms import MIND_FILES


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text with places for arguments, each required; `uses` are the tools without which it is not offered."""

    name: str
    title: str
    description: str
    text: str
    uses: tuple[str, ...]
    arguments: Mapping[str, str] = field(default_factory=dict)


_HONEST = (
    "Name only figures, names and dates that an answer has, with their id. Say what is missing or waits for approval."
)
PROMPTS = (
    Prompt(
        "standing",
        "How does the company stand?",
        "Figures with trends, what waits for a decision, and what went wrong.",
        f"Ask the company with {CONVERSATION}: 'How do we stand?'. Then list the decisions that wait with "
        f"decision_review. Tell me both in at most ten lines, the most important first. {_HONEST}",
        (CONVERSATION, "decision_review"),
    ),
    Prompt(
        "decide",
        "Go through the open decisions",
        "Shows each decision that waits, whole, and takes your answer.",
        "List the decisions that wait with decision_review. Show me one at a time: what would be done, for how much, "
        "who asks and why, and what happens if I refuse. Wait for my answer and record it with decision_resolve. Never "
        f"answer in my place. {_HONEST}",
        ("decision_review", "decision_resolve"),
    ),
    Prompt(
        "ask",
        "Ask an agent",
        "Asks an agent and checks its answer against its sources.",
        f"Say this to the agent {{agent_id}} with {CONVERSATION}, word for word: {{message}}\nThen tell me its answer, "
        f"what it did, and what waits for my approval. {_HONEST}",
        (CONVERSATION,),
        {"agent_id": "Who is asked, as cfo", "message": "What to say"},
    ),
    Prompt(
        "recall",
        "What do we know about this?",
        "Searches an agent's memory and the business's knowledge.",
        "What is known about {topic}? Call memory_recall of {agent_id} and the operation knowledge with the action "
        f"query_semantic. Keep apart what is recorded, what was claimed, and what you conclude. {_HONEST}",
        ("memory_recall", "knowledge"),
        {"agent_id": "Whose memory, as cfo", "topic": "What it is about"},
    ),
)


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
    """Return the completions of an argument of a prompt or of an address: agents, and files of a mind."""
    own = door.caller.agent_id
    known = {"agent_id": [own] if own else list(door.services.agents()), "file": list(MIND_FILES)}
    return [word for word in known.get(argument, []) if word.lower().startswith(begun.lower())]
