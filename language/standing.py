"""Rules from now on: forbid, ask first, cap, and the end of a rule."""

from mabos.language.interpreter import Context
from mabos.language.request import Reading


def standing(text: str, context: Context, share: float) -> Reading:  # noqa: ARG001 - the reader of every act has it
    """Read a rule for the future."""
    return Reading("standing", text, "forbid", confidence=share)
