"""The evidence of a conversation, and the claims of a text without support."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ClaimKind = Literal["number", "amount", "date", "name", "address", "completion", "state", "cause", "promise"]


@dataclass(frozen=True, slots=True)
class Deed:
    """A recorded deed: `kind` is a past participle ("sent"), `words` are those of the record.

    A deed covers one thing. Its words name recipients with their addresses, the title, amounts and dates. One that
    `is_earlier` than the order at hand supports only claims that name its thing: "Done." is about this order.
    """

    kind: str
    words: str
    is_earlier: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of a conversation: full texts, recorded deeds, and the moment of the reply.

    `texts` hold people's messages, tool results, passages and records. Each long text is a string of its own: it is
    indexed once for all replies. Text that a model wrote belongs here only after it passed the check. `ahead` has the
    records of the future: reminders, goals, commitments, pending decisions; without it, promises pass. `standing`
    has the texts on roles, rules and goals: names and numbers, no report that anything was done.
    """

    texts: tuple[str, ...]
    done: tuple[Deed, ...]
    now: datetime
    ahead: tuple[str, ...] | None = None
    standing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnsupportedClaim:
    """A claim without support: its words, its sentence at `start` to `end` of the text, and the reason."""

    kind: ClaimKind
    words: str
    sentence: str
    reason: str
    start: int
    end: int
