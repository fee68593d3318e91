"""An agent's skill levels as figures: skill names and levels of Capabilities.md (S3 section 4.2)."""

import re
from collections.abc import Iterable, Mapping

from mabos.mind.model import Capabilities, Proficiency

LEVELS: Mapping[Proficiency, float] = {"novice": 0.3, "competent": 0.6, "expert": 0.9}
COMPETENT = LEVELS["competent"]
_WORDS = re.compile(r"[^\W_]{2,}")


def proficiency(capabilities: Capabilities, wanted: Iterable[str]) -> float:
    """Return the agent's level in the wanted skills: 0 without any of them, else the best level, at most 0.9.

    A skill counts if a wanted text contains every word of its name, or the reverse. An agent that lists no skills
    counts as competent, just as one that lists no tools is unrestricted.

    >>> proficiency(Capabilities(skills={"pricing strategy": "expert", "marketing": "novice"}), ["Pricing"])
    0.9
    """
    if not capabilities.skills:
        return COMPETENT
    texts = [words for text in wanted if (words := _words(text))]
    held = ((_words(name), LEVELS.get(level, 0.0)) for name, level in capabilities.skills.items())
    fitting = (figure for name, figure in held if name and any(name <= text or text <= name for text in texts))
    return max(fitting, default=0.0)


def lacking(capabilities: Capabilities, asked: Mapping[str, Proficiency]) -> str:
    """Return the required skills that the agent lacks, in words; empty if none."""
    short = [name for name, level in asked.items() if proficiency(capabilities, [name]) < LEVELS[level]]
    return ", ".join(f"{name} ({asked[name]})" for name in short)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.lower()))
