"""The operations that put records into a mind's files: rendered, reconciled, archived, in order."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import Damaged
from mabos.mind.files import StoredSection, key_of, parse, render, render_section, rewrite
from mabos.mind.forms import DESIRE, FORM_OF, Form
from mabos.mind.model import Desire, Intention, Item
from mabos.mind.spelling import escape_line, number_text
from mabos.mind.views import MindView, merge_records
from mabos.workspace.markdown import PREAMBLE, heading, heading_key
from mabos.workspace.store import Arrange, Collections, Drop, Op, Put


@dataclass(frozen=True, slots=True)
class Writing:
    """The operations for one record, its key, and its resulting section.

    `beaten` is our version if another writer changed the same field or left it unreadable. `is_ours` means that it
    contains no change of others since our last read.
    """

    key: str
    standing: StoredSection
    ops: tuple[Op, ...] = ()
    beaten: str = ""
    is_ours: bool = False


def put(
    collections: Collections,
    view: MindView,
    item: Item,
    own: Callable[[str, str], StoredSection | None] = lambda _file, _key: None,
) -> Writing:
    """Return the operations that write `item` to its file; `view` is its last view, `own` our writes since.

    A section that others changed since then keeps those changes; an unreadable one stays as it is.
    """
    form = FORM_OF[type(item)]
    key = view.keys.get(getattr(item, "id", ""), key_of(item))
    text = collections.get(form.file, {}).get(key)
    if text is None:
        fresh = render_section(item)
        return Writing(key, fresh, (Put(form.file, key, fresh.text),), is_ours=True)
    seen = view.seen(key)
    if not _is_readable(form, seen, key, text):
        return Writing(key, StoredSection(text), beaten=render(item))
    written_last = own(form.file, key)
    is_own = written_last is not None and written_last.text == text
    ours, clashes = (item, False) if seen is None else _reconcile_item(form, seen, key, item, text, is_own=is_own)
    after = rewrite(ours, key, text, seen if seen and seen.text == text else None)
    ops = () if after.text == text else (Put(form.file, key, after.text),)
    beaten = rewrite(item, key, seen.text, seen).text if clashes and seen else ""
    return Writing(key, after, ops, beaten, is_ours=is_own or (seen is not None and seen.text == text))


def drop(view: MindView, item: Item) -> Drop:
    """Return the operation that removes `item` from its file."""
    return Drop(FORM_OF[type(item)].file, view.keys.get(getattr(item, "id", ""), key_of(item)))


def archive_line(item: Item, why: str, day: str) -> str:
    """Return the line that records `item` in its archive."""
    reason = why or getattr(item, "reason", "") or "archived"
    name = escape_line(getattr(item, "id", "") or getattr(item, "name", ""))
    if isinstance(item, Intention):
        named = [("goal", item.goal_id), ("plan", item.plan_id)]
        links = [f"{kind} {one}" for kind, one in named if one]
        progress = f"progress {number_text(item.progress)}"
        facts = ", ".join([*filter(None, [item.description]), *links, item.strategy, progress])
        return f"- **{name}** {item.status} {day}: {escape_line(reason)} ({escape_line(facts)})"
    title = heading(render(item))
    return f"- **{name}** {getattr(item, 'status', '')} {day}: {escape_line(reason)} ({title})".replace("  ", " ")


def append_lines(collections: Collections, file: str, title: str, lines: Sequence[str]) -> Put:
    """Return the section `title` of `file` with `lines` added to its end."""
    standing = collections.get(file, {}).get(heading_key(title))
    text = standing.rstrip("\n") + "\n" if standing else f"## {title}\n\n"
    return Put(file, heading_key(title), text + "".join(f"{line}\n" for line in lines) + "\n")


def beginnings(collections: Collections, files: Iterable[str]) -> list[Op]:
    """Return the title line of every empty file."""
    empty = [file for file in dict.fromkeys(files) if not collections.get(file)]
    return [Put(file, PREAMBLE, f"# {file.removesuffix('.md')}\n\n") for file in empty]


def desire_order(collections: Collections, view: MindView, ops: Sequence[Op]) -> list[Op]:
    """Return the reordering of Desires.md by priority, if `ops` leave it in another order."""
    texts = {key: text for key, text in collections.get(DESIRE.file, {}).items() if key != PREAMBLE}
    for op in ops:
        if op.collection == DESIRE.file and isinstance(op, Put):
            texts[op.key] = op.value
        elif op.collection == DESIRE.file and isinstance(op, Drop):
            texts.pop(op.key, None)
    desires = {key: _desire(view, key, text) for key, text in texts.items()}
    ranked = sorted((key for key, desire in desires.items() if desire), key=lambda key: _rank(desires[key]))
    wanted = [*ranked, *(key for key, desire in desires.items() if desire is None)]
    return [] if wanted == list(texts) else [Arrange(DESIRE.file, (PREAMBLE, *wanted))]


def _desire(view: MindView, key: str, text: str) -> Desire | None:
    section = view.sections.get(key)
    found: Desire | None = None
    if section and section.text == text:
        found = section.item
    else:
        with suppress(Damaged):
            found = parse(DESIRE, key, text)
    return found


def _rank(desire: Any) -> tuple[float, str, str]:
    return (-desire.priority, desire.name, desire.id)


def _reconcile_item(
    form: Form, seen: StoredSection, key: str, item: Item, text: str, *, is_own: bool
) -> tuple[Any, bool]:
    """Return `item` with others' changes in its section since we looked, and whether they hit the same field."""
    return (item, False) if seen.text == text else merge_records(seen.item, item, parse(form, key, text), is_own=is_own)


def _is_readable(form: Form, seen: StoredSection | None, key: str, text: str) -> bool:
    if seen is not None and seen.text == text:
        return True
    try:
        parse(form, key, text)
    except Damaged:
        return False
    return True
