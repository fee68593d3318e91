"""What models are told before they are asked: one text a file in `configs/prompts`, to be read and changed there."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "prompts"


@cache
def prompt(name: str) -> str:
    """Return the text that goes before a question of this kind, its lines joined."""
    return " ".join((FOLDER / f"{name}.md").read_text(encoding="utf-8").split())


@cache
def prompt_text(name: str) -> str:
    """Return the text that goes before a conversation of this kind, with its lines as they are."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()
