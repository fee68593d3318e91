"""Records as Markdown sections and back: every spelling is read, and kept when written back.

`parse(render(item))` gives back the item; `rewrite` changes only the differences, and keeps unknown text.
"""

from collections.abc import Mapping
from dataclasses import MISSING, replace
from dataclasses import fields as attributes
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from mabos.configs.errors import Damaged
from mabos.mind.blocks import (
    MARKERS,
    prose,
    raw_fields,
    read_numbered,
    with_block,
    with_new_field,
    with_numbered,
    with_prose,
)
from mabos.mind.forms import FORM_OF, PLAYBOOK, STEP, Field, Form
from mabos.mind.model import Item, Step
from mabos.mind.spelling import TEXT, escape_line, split_items, unescape_line
from mabos.workspace.fields import field_name, fields, with_field, without_field
from mabos.workspace.markdown import heading, heading_key
from mabos.workspace.text import shorten

HEADING_LIMIT = 120


class StoredSection(NamedTuple):
    """A section of a file: its text, and its record, if known.

    `is_ours`: the text is known to be exactly MABOS's own form of that record.
    """

    text: str
    item: Any = None
    is_ours: bool = False


_CHECKED = {"[ ] ": "pending", "[x] ": "done", "[X] ": "done"}


@lru_cache(maxsize=2048)
def parse(form: Form, key: str, text: str) -> Any:
    """Return the record in a section of a file of `form`; `key` is its id if the text has none.

    Records are frozen, so equal texts may share one: a section is parsed both for reading and for writing. Raises
    `Damaged` that names the field and the expected form.
    """
    raw = raw_fields(text)
    values = _values(form, raw)
    _read_heading(form, text, raw, values)
    if form.numbered:
        values[form.numbered] = _numbered_values(form, text)
    return _build_record(form, key, values)


def parse_record(form: Form, sections: Mapping[str, str]) -> Any | None:
    """Return the only record of a whole file (Persona.md, Capabilities.md), or None if no field is found.

    A section whose heading names a list field, as `## Responsibilities`, is read as that field.
    """
    own = field_name(form.fixed_heading)
    raw: dict[str, str] = {}
    names = {name for field in form.fields for name in field.read_as}
    for key, text in sorted(sections.items(), key=lambda section: section[0] != own):
        title = field_name(heading(text)) if key else ""
        listed = f"- **{title}:**\n" + "".join(
            f"  {line}\n" for line in text.splitlines()[1:] if line.startswith(("- ", "* ", "+ "))
        )
        for name, value in raw_fields(listed if title in names and title != own else text).items():
            raw.setdefault(name, value)
    if not names & raw.keys():
        return None
    return _build_record(form, own, _values(form, raw))


def render(item: Item | Step) -> str:
    """Return the section of `item` in MABOS's own form."""
    form = FORM_OF[type(item)]
    title, lines = _heading(form, item), []
    if form.heading and not _carries(title, item, getattr(item, form.heading)):
        lines.append(_line(form.heading_field, getattr(item, form.heading)))
    for field in form.fields:
        value = getattr(item, field.attribute)
        if field.always or value != _defaults(form)[field.attribute]:
            lines.append(_line(field, value))
    text = f"## {title}\n\n" + "".join(f"{line}\n" for line in lines) + "\n"
    if form.numbered and getattr(item, form.numbered):
        text = with_numbered(text, form.numbered_title, _numbered_items(form, item))
    return text


def rewrite(item: Item | Step, key: str, text: str, standing: StoredSection | None = None) -> StoredSection:
    """Return the section `text` changed so that it reads as `item`, keeping its form.

    `standing` is the known record of `text`, which saves parsing it again.
    """
    form = FORM_OF[type(item)]
    try:
        before = standing.item if standing else parse(form, key, text)
        if before == item:
            return StoredSection(text, before, is_ours=standing is not None and standing.is_ours)
        if (standing and standing.is_ours) or render(before).rstrip() == text.rstrip():
            return render_section(item)
        patched = _patch_text(form, before, item, key, text)
        if parse(form, key, patched) == item:
            return StoredSection(patched, item)
    except Damaged:
        pass
    return StoredSection(_with_unknown(form, render(item), text))


def render_section(item: Item | Step) -> StoredSection:
    """Return a new section for `item`."""
    return StoredSection(render(item), item if reads_back(item) else None, is_ours=True)


def reads_back(item: Item | Step) -> bool:
    """Return whether `render(item)` certainly reads back as `item`: it has an id and serialisable values."""
    form = FORM_OF[type(item)]
    if not getattr(item, "id", "").strip() or (form.prose and not getattr(item, form.heading).strip()):
        return False
    return (
        TEXT.holds(getattr(item, form.heading))
        and all(field.spelling.holds(getattr(item, field.attribute)) for field in form.fields)
        and all(getattr(item, name) == default for name, default in _unwritten(form))
        and (not form.numbered or all(map(reads_back, getattr(item, form.numbered))))
    )


def key_of(item: Item | Step) -> str:
    """Return the key of the section of `item` in its file."""
    form = FORM_OF[type(item)]
    if form.fixed_heading:
        return field_name(form.fixed_heading)
    if form is PLAYBOOK:
        return heading_key(heading(render(item)))
    return escape_line(cast("Any", item).id)


@cache
def _defaults(form: Form) -> dict[str, Any]:
    """Return the default of every attribute; an empty text if it has none."""
    defaults: dict[str, Any] = {}
    for attribute in attributes(cast("Any", form.type)):
        if attribute.default_factory is not MISSING:
            defaults[attribute.name] = attribute.default_factory()
        else:
            defaults[attribute.name] = "" if attribute.default is MISSING else attribute.default
    return defaults


@cache
def _unwritten(form: Form) -> tuple[tuple[str, Any], ...]:
    """Return the attributes that no field carries, with their defaults."""
    carried = {form.heading, form.numbered, *(field.attribute for field in form.fields)}
    return tuple((name, default) for name, default in _defaults(form).items() if name not in carried)


@cache
def _list_labels(form: Form) -> frozenset[str]:
    extra = form.heading_field.read_as if form.heading else ()
    return frozenset({name for field in form.fields for name in field.read_as} | set(extra))


def _values(form: Form, raw: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in form.fields:
        name = _name_in(raw, field)
        if name is None or (not raw[name].strip() and field.spelling is not TEXT):
            continue
        try:
            values[field.attribute] = field.spelling.read(MARKERS.sub("", raw[name]))
        except ValueError as error:
            said = shorten(raw[name], HEADING_LIMIT)
            raise Damaged(f"{field.label} is {said!r}; {error}", argument=field.attribute) from None
    return values


def _name_in(raw: Mapping[str, str], field: Field) -> str | None:
    return next((name for name in field.read_as if name in raw), None)


def _read_heading(form: Form, text: str, raw: Mapping[str, str], values: dict[str, Any]) -> None:
    """Put heading and plain text where the form wants them; a field that states the same wins."""
    title = heading(text)
    stated = _name_in(raw, form.heading_field)
    plain = unescape_line(prose(text, _list_labels(form))) if form.prose else ""
    if form.prose != form.heading:
        if form.prose and plain:
            values.setdefault(form.prose, plain)
    elif plain and stated is None:
        values[form.prose] = plain
        values.setdefault(form.prose_heading, unescape_line(title))
        return
    if stated is not None:
        values[form.heading] = unescape_line(raw[stated])
        return
    # A record without a name of its own has its id as heading.
    values[form.heading] = "" if title == raw.get("id") else unescape_line(title)


def _build_record(form: Form, key: str, values: Mapping[str, Any]) -> Any:
    stated = dict(values)
    if form.completed is not None:
        form.completed(stated)
    made = {**_defaults(form), **stated}
    if "id" in made and not made["id"]:
        made["id"] = unescape_line(key)
    return form.type(**made)


def _heading(form: Form, item: Any) -> str:
    """Return the heading of `item`: the attribute's text if it fits, else a part of it, else the id."""
    if form.fixed_heading:
        return form.fixed_heading
    text = getattr(item, form.heading)
    if "\n" in text or len(text) > HEADING_LIMIT:
        text = text.split("\n")[0][: HEADING_LIMIT - 40].strip() + "…"
    return escape_line(text) or escape_line(getattr(item, "id", ""))


def _carries(title: str, item: Any, text: str) -> bool:
    """Return whether a heading reads back as `text`."""
    read = heading(f"## {title}")
    identity = escape_line(getattr(item, "id", ""))
    return ("" if identity and read == identity else unescape_line(read)) == text


def _line(field: Field, value: Any) -> str:
    written = field.spelling.write(value, "")
    if field.spelling.block and written:
        return f"- **{field.label}:**\n" + "\n".join(f"  - {one}" for one in split_items(written))
    return f"- **{field.label}:** {written}".rstrip()


def _patch_text(form: Form, before: Any, item: Any, key: str, text: str) -> str:
    """Return `text` with each attribute that differs between `before` and `item` replaced in place."""
    raw = raw_fields(text)
    for field in form.fields:
        value = getattr(item, field.attribute)
        if value != getattr(before, field.attribute):
            if field.attribute == form.prose and _name_in(raw, field) is None and prose(text, _list_labels(form)):
                text = with_prose(text, _list_labels(form), value)
            else:
                text = _with_field(form, field, value, raw, text)
    if form.heading and getattr(item, form.heading) != getattr(before, form.heading):
        text = _with_heading(form, item, key, raw, text)
    if form.numbered and getattr(item, form.numbered) != getattr(before, form.numbered):
        text = with_numbered(text, form.numbered_title, _patched_items(form, before, item, text))
    return text


def _with_field(form: Form, field: Field, value: Any, raw: Mapping[str, str], text: str) -> str:
    name = _name_in(raw, field)
    if name is not None and value == _defaults(form)[field.attribute] and not field.always:
        bare = with_block(text, field.label, field.read_as, ()) if field.spelling.block else text
        return without_field(bare, name)
    before = raw[name] if name else ""
    markers = "".join(f" {marker}" for marker in MARKERS.findall(before))
    written = field.spelling.write(value, MARKERS.sub("", before)) + markers
    nested = name is None or not fields(text).get(name)
    if field.spelling.block and nested:
        return with_block(text, field.label, field.read_as, split_items(written))
    return with_field(text, name, written) if name else with_new_field(text, f"- **{field.label}:** {written}".rstrip())


def _with_heading(form: Form, item: Any, key: str, raw: Mapping[str, str], text: str) -> str:
    value = getattr(item, form.heading)
    stated = _name_in(raw, form.heading_field)
    if stated is not None:
        return with_field(text, stated, escape_line(value))
    if form.prose == form.heading and prose(text, _list_labels(form)):
        return with_prose(text, _list_labels(form), value)
    first, _, rest = text.partition("\n")
    markers = "".join(f" {marker}" for marker in MARKERS.findall(first))
    text = f"## {_heading(form, item)}{markers}\n{rest}"
    # The key came from the heading that is gone: now the section has to say its id.
    return text if "id" in raw or form is PLAYBOOK else with_new_field(text, f"- **Id:** {key}")


def _patched_items(form: Form, before: Any, item: Any, text: str) -> list[str]:
    """Return the numbered items: unchanged ones as written, the others rewritten."""
    old, new = getattr(before, form.numbered), getattr(item, form.numbered)
    written = _numbered_items(form, item)
    if len(old) != len(new):
        return written
    standing = read_numbered(text).items
    return [standing[at] if old[at] == new[at] else written[at] for at in range(len(new))]


def _with_unknown(form: Form, rendered: str, text: str) -> str:
    """Return `rendered` with the fields of `text` that the form does not know."""
    known = _list_labels(form)
    for name, value in raw_fields(text).items():
        if name not in known:
            rendered = with_new_field(rendered, f"- **{name.replace('_', ' ').capitalize()}:** {value}")
    return rendered


def _numbered_values(form: Form, text: str) -> tuple[Any, ...]:
    items = read_numbered(text).items
    if form is PLAYBOOK:
        return tuple(unescape_line(" ".join(item.split("\n"))) for item in items)
    return tuple(_step(number, item) for number, item in enumerate(items, 1))


def _step(number: int, item: str) -> Step:
    status = next((status for box, status in _CHECKED.items() if item.startswith(box)), "")
    step: Step = parse(STEP, f"s{number}", "## " + (item[4:] if status else item) + "\n")
    return replace(step, status="done") if status == "done" and step.status == "pending" else step


def _numbered_items(form: Form, item: Any) -> list[str]:
    values = getattr(item, form.numbered)
    if form is PLAYBOOK:
        return [escape_line(value) for value in values]
    return [_step_text(render(step)) for step in values]


def _step_text(section: str) -> str:
    return "\n".join(line for line in section.removeprefix("## ").splitlines() if line.strip())
