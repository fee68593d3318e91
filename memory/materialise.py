"""Memory as Markdown for people and file indexers: derived, and safe to delete (S0 section 13).

People write in `MEMORY.md` too: their additions stay, and recall finds them like any other note.
"""

import re
from collections.abc import Container, Iterable, Mapping
from pathlib import Path

from mabos.memory.model import MemoryItem, StoreName
from mabos.workspace.atomic import write_atomic
from mabos.workspace.regular import as_text
from mabos.workspace.text import one_line

_HEADING = 60


DERIVED = "> Derived from memory-store.json"
"""Stands at the head of a page that is rendered from the items."""
_HEAD = f"{DERIVED}; what you write here yourself is kept at the end."
_ENTRY = re.compile(r"^(?P<told>- \*\*[^*\n]*\*\* \[[^\]\n]*\] .*) \((?P<id>[^()\n]+)\)$", re.MULTILINE)
_GIVEN = re.compile(r"M-\d+-\w+")
"""An id as items are given one; a person may have written another."""
_GAP = re.compile(r"\n{3,}")
_FRAME = re.compile(rf"^(?:# Long-term memory — .*|{re.escape(DERIVED)}.*|## Notes)$", re.MULTILINE)


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
    """Return whether a page was rendered by `long_term_page`; all but people's additions are copies of items."""
    return DERIVED in page[:500]


def written_by_hand(page: str, ids: Container[str] = ()) -> str:
    """Return a rendered page with every rendered line emptied; the others keep their positions.

    `ids` are item ids that a person mentioned.
    """

    def blank_rendered(entry: re.Match[str]) -> str:
        return "" if entry["id"] in ids or _GIVEN.fullmatch(entry["id"]) else entry[0]

    return _FRAME.sub("", _ENTRY.sub(blank_rendered, page))


def long_term_page(agent_id: str, items: Iterable[MemoryItem], before: str = "") -> str:
    """Return `MEMORY.md`: the agent's long-term items, newest first, one line each; then people's notes.

    `before` is the current page. An entry that a person changed stays among the notes in its changed form.
    """
    newest = sorted(items, key=lambda item: (item.created_at, item.id), reverse=True)
    lines = {item.id: _line(item) for item in newest}
    parts = [f"# Long-term memory — {agent_id}", _HEAD]
    current = [f"{lines[item.id]} ({item.id})" for item in newest if not item.superseded_by]
    if current:
        parts.append("\n".join(current))
    entries = [entry for entry in _ENTRY.finditer(before) if entry["id"] in lines]
    changed = [entry["told"] for entry in entries if entry["told"] != lines[entry["id"]]]
    written = _GAP.sub("\n\n", written_by_hand(before, lines)).strip()
    kept = "\n".join(filter(None, [*changed, written]))
    if kept:
        parts += ["## Notes", kept]
    return "\n\n".join(parts) + "\n"


def _line(item: MemoryItem) -> str:
    day, kind = item.created_at[:10].replace("*", ""), item.type.replace("]", "")  # by hand, anything may stand there
    return f"- **{one_line(day)}** [{one_line(kind)}] {one_line(item.content)}"


def are_of(directory: Path, mark: Path, generation: int, seq: int) -> bool:
    """Return whether the pages exist and match the store, by the `mark` of their last writer."""
    try:
        then, marked = map(int, read(mark).split())
    except ValueError:
        return False
    pages = (items_file(directory), long_term_file(directory))
    return then <= generation and marked == seq and all(page.exists() for page in pages)


def items_file(directory: Path) -> Path:
    """Return the path of the page of all items in the agent's folder."""
    return directory / "memory" / "mabos-memory-items.md"


def long_term_file(directory: Path) -> Path:
    """Return the path of the long-term page in the agent's folder.

    On case-insensitive file systems `MEMORY.md` would be the agent's own `Memory.md`.
    """
    ignores_case = (directory / "memory").is_dir() and (directory / "MEMORY").exists()
    return directory / ("MEMORY-long-term.md" if ignores_case else "MEMORY.md")


def read(path: Path) -> str:
    """Return a page's current text; "" if it is missing."""
    try:
        return as_text(path)
    except FileNotFoundError:
        return ""


def write(path: Path, page: str) -> None:
    """Write a page if its content changed."""
    if read(path) != page:
        write_atomic(path, page, durable=False)


def _section(item: MemoryItem, store: StoreName) -> str:
    line = one_line(item.content)
    title = line if len(line) <= _HEADING else line[:_HEADING].rstrip() + "..."
    fields = [("ID", item.id), ("Store", store), ("Type", item.type), ("Importance", f"{item.importance:g}")]
    fields += [("Source", item.source), ("Tags", ", ".join(item.tags))]
    fields += [("Derived from", ", ".join(item.derived_from)), ("Evidence", ", ".join(item.evidence))]
    fields += [("Supersedes", ", ".join(item.supersedes)), ("Superseded by", item.superseded_by)]
    fields.append(("Created", item.created_at))
    told = "\n".join(f"- **{name}:** {value}" for name, value in fields if value)
    return f"## [{store}] {item.type}: {title}\n\n{told}\n\n{item.content.strip()}"
