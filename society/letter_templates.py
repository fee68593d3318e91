"""Letter templates: a subject and texts with `{{ fields }}`, filled in for one recipient at a time.

    source = template_named("welcome", directory / "mail" / "templates")
    fill_template(source, {"business": "Acme", "first_name": "Jane"}).subject      # 'Welcome to Acme'

A template is `<name>.md` with `subject` in its front matter and the text below, and `<name>.html` next to it unless the
page is generated from the text. It may use fields, `{% if %}`, `default` and a few other filters, but no loops and no
arithmetic. So rendering time is bounded by the template's length.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from mabos.configs.errors import Damaged, InvalidArgument, unknown
from mabos.configs.settings import DEFAULTS
from mabos.configs.yaml_file import load_yaml
from mabos.workspace.atomic import write_atomic
from mabos.workspace.names import name as checked_name
from mabos.workspace.regular import content
from mabos.workspace.text import one_line

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Node

SHIPPED = DEFAULTS.parent / "letters"
LONGEST = 200_000
"""Characters of a text, before and after it is filled in."""

_FILTERS = frozenset({"default", "d", "upper", "lower", "title", "capitalize", "trim", "e", "escape"})
_NODES = frozenset({
    "Template", "Output", "TemplateData", "Name", "Const", "If", "Filter", "CondExpr", "Compare", "Operand",
    "And", "Or", "Not", "Test", "Keyword",
})  # fmt: skip
_PLACEHOLDER = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)\}(?!\})")
_LINK = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]")


class Lacking(InvalidArgument):
    """A letter uses a field that the recipient lacks."""


@dataclass(frozen=True, slots=True)
class LetterTemplate:
    """A letter before it is filled in; without `html` the page is generated from the text."""

    subject: str
    text: str
    html: str = ""
    name: str = ""

    @property
    def called(self) -> str:
        """The name for use in errors."""
        return f"template {self.name!r}" if self.name else "the letter"


@dataclass(frozen=True, slots=True)
class Filled:
    """A letter for one recipient."""

    subject: str
    text: str
    html: str


def template_named(name: str, folder: Path) -> LetterTemplate:
    """Return a template of `folder`, else a shipped one; raises `UnknownId` with the nearest."""
    wanted = name.strip()
    for place in (folder, SHIPPED):
        known = {path.stem: path for path in place.glob("*.md")} if place.is_dir() else {}
        if wanted in known:
            return _read(known[wanted])
    raise unknown("template", wanted, template_names(folder), argument="template")


def template_names(folder: Path) -> list[str]:
    """Return the names of all templates available to a business."""
    return sorted({path.stem for place in (folder, SHIPPED) if place.is_dir() for path in place.glob("*.md")})


def keep(source: LetterTemplate, name: str, folder: Path) -> str:
    """Write a template of the business and return its file name; an existing one is replaced."""
    stem = checked_name(name.strip().lower(), kind="name of a template", argument="save_as")
    check(source)
    front = yaml.safe_dump({"subject": source.subject}, allow_unicode=True, width=10_000)
    write_atomic(folder / f"{stem}.md", f"---\n{front}---\n{source.text.rstrip()}\n")
    if source.html:
        write_atomic(folder / f"{stem}.html", source.html)
    else:
        (folder / f"{stem}.html").unlink(missing_ok=True)
    return f"{stem}.md"


def with_fields(text: str) -> str:
    """Return a text with single-brace placeholders, as in plans, turned into letter fields.

    >>> with_fields("Hello {name}, {{ news }} {1}")
    'Hello {{ name }}, {{ news }} {1}'
    """
    return _PLACEHOLDER.sub(r"{{ \1 }}", text)


def check(source: LetterTemplate) -> None:
    """Raise `InvalidArgument` for a letter that can never be filled in."""
    for argument, text in (("subject", source.subject), ("text", source.text), ("html", source.html)):
        if argument != "html" and not text.strip():
            message = f"{source.called} has no {argument}; give a template, or subject and text"
            raise InvalidArgument(message, argument=argument)
        _compile_template(text, argument, source.called)


def fill_template(source: LetterTemplate, fields: Mapping[str, str]) -> Filled:
    """Return the letter with one recipient's fields; raises `Lacking` for one without value and default."""
    given = {name: value for name, value in fields.items() if value}
    subject = "".join(one for one in one_line(_render_part(source, "subject", given)) if one.isprintable())
    text = _render_part(source, "text", given).strip() + "\n"
    page = {name: escape(value) for name, value in given.items()}
    return Filled(subject, text, _render_part(source, "html", page).strip() or page_of(text))


def page_of(text: str) -> str:
    """Return a text as HTML: paragraphs, line breaks and links.

    >>> page_of("Hello <Jane>,\\n\\nsee https://acme.com/new.")
    '<p>Hello &lt;Jane&gt;,</p>\\n<p>see <a href="https://acme.com/new">https://acme.com/new</a>.</p>'
    """
    return "\n".join(f"<p>{_render_links(part)}</p>" for part in re.split(r"\n\s*\n", text.strip()))


def _render_links(text: str) -> str:
    parts, at = [], 0
    for found in _LINK.finditer(text):
        link = escape(found[0])
        parts += [escape(text[at : found.start()]), f'<a href="{link}">{link}</a>']
        at = found.end()
    return "".join([*parts, escape(text[at:])]).replace("\n", "<br>\n")


def _render_part(source: LetterTemplate, argument: str, fields: Mapping[str, str]) -> str:
    from jinja2 import TemplateError, UndefinedError

    text = getattr(source, argument)
    try:
        result: str = _compile_template(text, argument, source.called).render(fields)
    except UndefinedError as lacks:
        field = str(lacks.message).partition("'")[2].partition("'")[0] or "a field"
        message = f"{source.called} uses {{{{ {field} }}}}, which is not known here; give it in fields, or a default"
        raise Lacking(message, argument="fields") from None
    except (TemplateError, TypeError, ValueError) as error:
        raise InvalidArgument(f"{source.called} cannot be filled in: {error}", argument=argument) from None
    if len(result) > LONGEST:
        raise InvalidArgument(f"{source.called} is longer than {LONGEST} characters", argument=argument)
    return result


@lru_cache(maxsize=64)
def _compile_template(text: str, argument: str, called: str) -> Any:
    from jinja2 import TemplateError

    if len(text) > LONGEST:
        raise InvalidArgument(f"{called} is longer than {LONGEST} characters", argument=argument)
    environment = _environment()
    try:
        foreign = next(_foreign(environment.parse(text)), "")
        if not foreign:
            return environment.from_string(text)
    except (TemplateError, RecursionError) as error:
        foreign = str(error) or type(error).__name__
    message = f"{called} has in {argument} what letters may not: {foreign}; use {{{{ fields }}}} and {{% if %}} alone"
    raise InvalidArgument(message, argument=argument)


def _environment() -> "Environment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class MissingField(StrictUndefined):
        """A field without a value: it may be asked for, but not written."""

        __slots__ = ()

        def __bool__(self) -> bool:  # type: ignore[override]  # a field that is not there is no error in a condition
            return False

    return ImmutableSandboxedEnvironment(undefined=MissingField, autoescape=False)  # pages get escaped fields


def _foreign(tree: "Node") -> Iterator[str]:
    """Yield the parts of a template beyond fields, conditions and simple filters."""
    from jinja2.nodes import Filter, Node

    for node in tree.find_all(Node):
        if type(node).__name__ not in _NODES:
            yield type(node).__name__.lower()
        elif isinstance(node, Filter) and node.name not in _FILTERS:
            yield f"the filter {node.name}"


def _read(path: Path) -> LetterTemplate:
    text = _page(path)
    _, _, rest = text.partition("---\n")
    front, closed, body = rest.partition("\n---\n")
    try:
        subject = load_yaml(front)["subject"] if text.startswith("---\n") and closed else None
    except (yaml.YAMLError, KeyError, TypeError):
        subject = None
    if not isinstance(subject, str):
        raise Damaged(f"{path}: a template begins with ---, subject: ..., ---; correct it by hand")
    html = path.with_suffix(".html")
    return LetterTemplate(subject, body, _page(html) if html.exists() else "", path.stem)


def _page(path: Path) -> str:
    """Return the text of a file; raises `Damaged` if it is not UTF-8, or not a file of the workspace."""
    raw = path.read_bytes() if path.parent == SHIPPED else content(path)  # who installs packages may link them
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Damaged(f"{path}:{line}: not UTF-8 text ({error.reason}); save it as UTF-8") from None
