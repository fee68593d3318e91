"""Costs of a workspace: disk space, memory of this process while it is open, and money spent today."""

import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mabos.backends.chat import NOT_ASKED
from mabos.backends.metering import FREE, Metered
from mabos.configs.errors import MabosError
from mabos.interfaces.checks import Check
from mabos.tools.runtime.budgets import limits_in_words, spent_by
from mabos.workspace.clock import iso

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services
    from mabos.workspace.ledger import LedgerEntry

_MOST_ENTRIES = 100_000


def size(folder: Path) -> int:
    """Return the total size in bytes of the files below a folder; a file that vanishes meanwhile counts as 0."""
    total, folders = 0, [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total


def costs(services: "Services") -> Iterator[Check]:
    """Yield the costs of the open workspace: disk, memory, and dollars since midnight (UTC)."""
    root, derived = services.layout.root, services.layout.internal
    whole, made = size(root), size(derived)
    says = f"{_bytes(whole)} in files, {_bytes(made)} of them derived and safe to delete (.mabos)"
    yield Check("costs: disk", "ok", says)
    yield Check("costs: memory", "ok", f"{_bytes(_peak())} at most so far, with the workspace open")
    yield Check("costs: money", "ok", _money(services))


def _money(services: "Services") -> str:
    """Return today's spending: by calls that changed something, and by models."""
    since = iso(services.clock())[:10]
    try:
        index, kinds = services.ledger_index(), ["call", "outcome", "model"]
        entries = index.entries(kinds=kinds, since=since, limit=_MOST_ENTRIES)
    except MabosError as error:
        return error.message
    books: dict[str, list[LedgerEntry]] = {}
    for one in entries:
        books.setdefault(one.agent, []).append(one)
    spent = [spent_by(book) for book in books.values()]
    asked = [one.body for one in entries if one.kind == "model"]
    tokens, usd = sum(one.model_tokens for one in spent), sum(one.model_usd for one in spent)
    limits = limits_in_words(services.settings.budgets.agent)
    limit = f"each agent may use {limits} a day" if limits else "no budget for a day (budgets.agent)"
    deeds = sum(one.action_usd for one in spent)
    failed = sum("error" in one for one in asked)
    calls = f"{len(asked)} model calls ({tokens} tokens{f', {failed} came to nothing' if failed else ''})"
    return f"${deeds:.2f} by actions and ${usd:.4f} for {calls} today; {limit}{_price(services)}"


def _price(services: "Services") -> str:
    """Return the price of the model in use, or the setting to add if it is unknown; empty without a model."""
    model = services.model
    try:
        name = model.name
        terms = model.terms if isinstance(model, Metered) else FREE
    except MabosError:  # a recording that is not there, which another line says
        return ""
    if name in NOT_ASKED:
        return ""
    if not terms.is_priced:
        return f"; the price of {name} is not known, so its calls count as $0: set models.prices in mabos.yaml"
    return f"; {name} costs ${terms.price.input_usd:g} in and ${terms.price.output_usd:g} out for a million tokens"


def _peak() -> int:
    """Return the most memory that this process has had, in bytes; macOS counts in other units than Linux."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _bytes(number: float) -> str:
    for unit in ("B", "KB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"
