"""The model prompts: one text per file in `configs/prompts`, to be read and edited there.

Each file begins with its version, which rises with every change. The ledger records it with each call.
"""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "prompts"
_HEAD = re.compile(r"---\nversion: (\d+)\n---\n")


@cache
def prompt(name: str) -> str:
    """Return the prompt for a question of this kind, on one line."""
    return " ".join(prompt_text(name).split())


@cache
def prompt_text(name: str) -> str:
    """Return the prompt for a conversation of this kind, with its line breaks."""
    return _HEAD.sub("", _file(name), count=1).strip()


@cache
def prompt_version(tag: str) -> int:
    """Return the version of the prompt for calls with a tag, as "plan" or "reasoning: form"; 0 if none."""
    named = [name for name in (tag.replace(": ", "_"), tag.partition(":")[0]) if (FOLDER / f"{name}.md").exists()]
    head = _HEAD.match(_file(named[0])) if named else None
    return int(head[1]) if head else 0


def _file(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")
