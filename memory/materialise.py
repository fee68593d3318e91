"""Memory as Markdown that people and file indexers read: derived, and safe to delete (S0 section 13)."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from memory.model import MemoryItem, StoreName
from workspace.atomic import write_atomic

_HEADING = 60


DERIVED = "> Derived from memory-store.json"
"""Stands at the head of a page that is rendered from the items."""


def items_page(agent_id: str, stores: Mapping[StoreName, Iterable[MemoryItem]]) -> str:
    """Return `memory/mabos-memory-items.md`: long-term and short-term items in the format of S0 section 13."""
    long_term, short_term = list(stores["long_term"]), list(stores["short_term"])
    parts = [
        f"# MABOS Memory Items — {agent_id}",
        f"> Auto-materialized from memory-store.json. {len(long_term)} long-term, {len(short_term)} short-term items.",
    ]
    parts += [_section(item, "long_term") for item in long_term]
    parts += [_section(item, "short_term") for item in short_term]
    return "\n\n".join(parts) + "\n"


def is_derived(page: str) -> bool:
    """Return whether a page was rendered by `long_term_page`: it holds nothing but copies of items."""
    return DERIVED in page[:500]


def long_term_page(agent_id: str, items: Iterable[MemoryItem]) -> str:
    """Return `MEMORY.md`: what the agent keeps for good, newest first, one line each."""
    newest = sorted(items, key=lambda item: (item.created_at, item.id), reverse=True)
    lines = [
        f"- **{item.created_at[:10]}** [{item.type}] {' '.join(item.content.split())} ({item.id})" for item in newest
    ]
    head = f"# Long-term memory — {agent_id}\n\n{DERIVED}; hand-written lines are not kept.\n"
    return head + ("\n" + "\n".join(lines) + "\n" if lines else "")


def long_term_file(directory: Path) -> Path:
    """Return the path of the long-term page in the agent's folder.

    Where the file system ignores case, `MEMORY.md` would be the agent's own `Memory.md`.
    """
    ignores_case = (directory / "memory").is_dir() and (directory / "MEMORY").exists()
    return directory / ("MEMORY-long-term.md" if ignores_case else "MEMORY.md")


def write(path: Path, page: str) -> None:
    """Write a page if it says anything new."""
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        write_atomic(path, page, durable=False)


def _section(item: MemoryItem, store: StoreName) -> str:
    line = " ".join(item.content.split())
    title = line if len(line) <= _HEADING else line[:_HEADING].rstrip() + "..."
    fields = [("ID", item.id), ("Store", store), ("Type", item.type), ("Importance", f"{item.importance:g}")]
    fields += [("Source", item.source), ("Tags", ", ".join(item.tags))]
    fields += [("Derived from", ", ".join(item.derived_from)), ("Evidence", ", ".join(item.evidence))]
    fields.append(("Created", item.created_at))
    told = "\n".join(f"- **{name}:** {value}" for name, value in fields if value)
    return f"## [{store}] {item.type}: {title}\n\n{told}\n\n{item.content.strip()}"
