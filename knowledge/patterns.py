"""Terms with `*`: any run of characters, as people ask for facts (S0 section 20)."""

import re
from functools import lru_cache


def literal(pattern: str) -> str:
    """Return `pattern` where it can be looked up as it stands, or "" where it may fit several terms."""
    text = pattern.strip()
    return "" if "*" in text else text


def fits(pattern: str, term: str) -> bool:
    """Return whether `term` fits `pattern`; an empty pattern fits anything."""
    text = pattern.strip()
    return not text or (text == term if "*" not in text else _compiled(text).fullmatch(term) is not None)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
