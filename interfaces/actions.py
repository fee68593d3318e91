"""A decision's action as a person reads it before answering: every argument, and the letter it would send."""

from collections.abc import Iterator, Mapping
from typing import Any

from mabos.configs.errors import MabosError
from mabos.society.decisions import Decision
from mabos.tools.mail.preview import LETTER_TOOLS, LetterPreview, letter_preview
from mabos.tools.runtime.services import Caller, Services

_NAMED = 30
"""Readers of a letter that are named; of more the number is stated."""


def letter_of(services: Services, decision: Decision) -> LetterPreview | None:
    """Return the letter that an approval would send, or None."""
    action = decision.action
    if action is None or action["tool"] not in LETTER_TOOLS or decision.from_agent not in services.agents():
        return None
    agent = services.agent(decision.from_agent, caller=Caller("agent", decision.from_agent))
    tool = services.tools.tool(action["tool"])
    try:
        values = tool.validate_arguments(action["arguments"])
    except MabosError as error:
        return LetterPreview((), "", "", error.message)
    return letter_preview(agent, tool.name, values.model_dump(mode="json", by_alias=True))


def letter_lines(letter: LetterPreview) -> Iterator[str]:
    """Yield a letter as plain lines: its recipients, its subject, its text."""
    number = len(letter.recipients)
    more = f" and {number - _NAMED} more" if number > _NAMED else ""
    yield f"To ({number}): {', '.join(letter.recipients[:_NAMED])}{more}"
    yield f"Subject: {letter.subject}"
    if letter.problem:
        yield f"Problem: {letter.problem}"
    whose = f", as {letter.recipients[0]} gets it" if number > 1 else ""
    yield f"Text{whose}:"
    yield from (f"  {line}" for line in letter.text.rstrip().splitlines())


def argument_lines(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the complete arguments of a call, one per line; multi-line text is set below its name."""
    for name, value in arguments.items():
        text = value if isinstance(value, str) else _plain(value)
        if "\n" in text or len(text) > 100:
            yield f"{name}:"
            yield from (f"  {line}" for line in text.splitlines())
        else:
            yield f"{name}: {text}"


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}".removesuffix(".00")
    if isinstance(value, list):
        return ", ".join(map(str, value)) if all(not isinstance(one, dict | list) for one in value) else str(value)
    return str(value)
