"""Standing instructions of the owner: permanent rules for every agent of a business (`instructions.json`).

Instruction("INS-1", "cap", "No campaign may cost more than 100 dollars a week.", amount=100.0, per="week")
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from mabos.society.contacts import Contact
from mabos.workspace.clock import iso
from mabos.workspace.currencies import money
from mabos.workspace.records import declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.text import terms
from mabos.workspace.view import View

InstructionKind = Literal["forbid", "ask_first", "cap", "freeze", "closing"]
Per = Literal["", "day", "week", "month", "total"]
_WEEKS_A_MONTH = 52 / 12
FREEZE_DAYS = 30
"""The duration of a freeze that nobody announces again."""
HONORIFICS = frozenset(terms("mr mrs ms miss dr prof herr frau mme"))
_EVERYDAY = HONORIFICS | frozenset(
    terms("the and of at from anybody anyone everybody people company firm ltd inc co gmbh llc")
)


@record(
    "instructions.json",
    "instructions",
    noun="instruction",
    optional=("operations", "who", "channel", "amount", "per", "request_id", "lifted_at", "lifted_by"),
)
@dataclass(frozen=True, slots=True)
class Instruction:
    """A rule in the owner's words: `forbid` something, `ask_first` before it, or `cap` what it may cost.

    `operations` are the tools it applies to; none means every contact with `who`, a company or a person. With both, it
    is about these tools where their call names `who`: a contractor, a campaign or a work package. With a `channel` it
    is about campaigns on that channel. `amount` is in dollars `per` day, week, month, or in total. A `freeze` is a
    colleague's: who looks after the money announced it. A `closing` is the `text` with which letters to `who` end.
    """

    id: str
    kind: InstructionKind
    sentence: str
    operations: tuple[str, ...] = ()
    who: str = ""
    channel: str = ""
    amount: float = 0.0
    per: Per = ""
    created_at: str = ""
    created_by: str = ""
    request_id: str = ""
    lifted_at: str = ""
    lifted_by: str = ""
    text: str = ""

    @property
    def is_in_force(self) -> bool:
        """Return whether the instruction is still in force."""
        return not self.lifted_at


def describe_limit(instruction: Instruction) -> str:
    """Return the limit of a cap in figures, as "at most $300 a week"; "" for other rules."""
    if instruction.kind != "cap":
        return ""
    per = {"": "", "total": " in total"}.get(instruction.per, f" a {instruction.per}")
    return f"at most {money(instruction.amount)}{per}"


def open_instructions(directory: Path, sync: Sync) -> View[Instruction]:
    """Return the standing instructions of the business in `directory`."""
    return View(declaration(Instruction).open(directory, sync), Instruction)


def freeze_in_force(instructions: Iterable[Instruction], now: datetime) -> Instruction | None:
    """Return the latest freeze of spending that still holds, or None."""
    since = iso(now - timedelta(days=FREEZE_DAYS))
    found = [one for one in instructions if one.kind == "freeze" and one.is_in_force and one.created_at >= since]
    return max(found, key=lambda one: one.created_at, default=None)


def find_ban(contact: Contact, instructions: Iterable[Instruction]) -> Instruction | None:
    """Return the instruction that forbids every contact with a person, or None."""
    bans = (one for one in instructions if one.kind == "forbid" and one.who and is_about_mail(one))
    return next((one for one in bans if concerns(one, contact)), None)


def is_about_mail(instruction: Instruction) -> bool:
    """Return whether an instruction about a person covers letters to them, not only other operations."""
    return not instruction.operations or bool({"email_send", "email_campaign"} & set(instruction.operations))


def concerns(instruction: Instruction, contact: Contact) -> bool:
    """Return whether an instruction's words name a contact: the person, the company, a tag, or the address's domain."""
    wanted = [word for word in terms(instruction.who) if word not in _EVERYDAY]
    if not wanted:
        return False
    domain = " ".join(terms(contact.email.rpartition("@")[2].rpartition(".")[0].replace("-", " ")))
    known = (" ".join(terms(contact.company)), " ".join(terms(contact.name)), domain, contact.email)
    return any(all(word in text.split() for word in wanted) for text in known) or instruction.who.casefold() in (
        contact.email,
        contact.id.casefold(),
        *(tag.casefold() for tag in contact.tags),
    )


def exceeds(instruction: Instruction, arguments: Mapping[str, Any], cost: float) -> bool:
    """Return whether a call costs more than a cap allows, in the period of the cap if the call has one."""
    if instruction.kind != "cap":
        return False
    weekly = arguments.get("weekly_budget_usd")
    if isinstance(weekly, int | float) and instruction.per in ("week", "month", "day"):
        factor = {"week": 1.0, "month": _WEEKS_A_MONTH, "day": 1 / 7}[instruction.per]
        return float(weekly) * factor > instruction.amount
    return cost > instruction.amount
