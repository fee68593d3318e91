"""Rules, changes, withdrawals and reports take effect at once, so the person's latest words must state them."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from mabos.language.request import Request
from mabos.language.selectors import singular
from mabos.language.wordlists import order_table
from mabos.tools.runtime.services import Agent
from mabos.tools.work.grounding import ground
from mabos.tools.work.spoken import SpokenWords
from mabos.workspace.copies import replace
from mabos.workspace.text import STOPWORDS, terms

_POINTING: Final = re.compile(r"\b(?:it|that|this|them|these|those|everything|all|both|mind)\b")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")


def unsaid_change(agent: Agent, request: Request, spoken: SpokenWords, *, target: Request | None = None) -> str:
    """Return why the person did not ask for a rule, change, withdrawal or report, or an empty text.

    `target` is the order to change. The latest words count, together with any question they agree to.
    """
    near = spoken.focus
    last = SpokenWords(tuple(one.text for one in reversed(near)), spoken.at, near)
    cues = _CUES.get(request.operation) or _CUES.get(request.act)
    is_said = cues is None or bool(cues.search(last.lowered))
    if request.act == "withdrawal":
        about = target.sentence if target is not None else ""
        is_said = is_said and (_is_named(about, last) or bool(_POINTING.search(last.lowered)))
    if request.act == "correction":
        is_said = any(_is_named(one.value, last) for one in request.slots)
    if not is_said:
        return f"the person did not say this: {request.sentence}"
    missing = [str(one.value) for one in request.slots if one.name == "who" and not last.has_words(str(one.value))]
    missing += [f"per {one}" for one in _other_rhythm(request, last)]
    numbers = tuple(one for one in request.slots if _is_number(one.value))
    changed = replace(request, slots=numbers, refers_to=target.id if target is not None else request.refers_to)
    missing += ground(agent, changed, last).missing
    return f"{missing[0]} is not in what the person said" if missing else ""


def _other_rhythm(request: Request, last: SpokenWords) -> list[str]:
    """Return the rhythm of a limit where the person gave its amount another one."""
    per, amount = request.slot("per", ""), request.slot("amount")
    said = [one.per for source in last.sources for one in source.read.mentions if one.value == amount]
    return [str(per)] if per and any(said) and per not in said else []


def _is_named(value: Any, spoken: SpokenWords) -> bool:
    """Return whether a part of a new value was said: a number, a day, or a word that carries meaning."""
    if isinstance(value, Mapping):
        return any(_is_named(one, spoken) for one in value.values())
    if isinstance(value, list | tuple):
        return any(_is_named(one, spoken) for one in value)
    if isinstance(value, bool) or value is None or _is_number(value):
        return True  # numbers are looked for by their slot
    text = str(value)
    if _DAY.fullmatch(text.strip()):
        return spoken.has_day(date.fromisoformat(text.strip()[:10]))
    words = {singular(one) for one in terms(text)} - STOPWORDS
    return bool(words & {singular(one) for one in spoken.folded_text.split()})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CUES: Final = {kind: re.compile(said) for kind, said in order_table("changes.cues").items()}
"""Words without which nobody gives or lifts a rule, withdraws an order, or reports work."""
