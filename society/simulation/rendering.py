"""Templates to text: a page with every value escaped, or Markdown with every value kept on its line."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mabos.workspace.text import one_line

if TYPE_CHECKING:
    from jinja2 import Environment


def render_template(template: str, values: Mapping[str, Any], *, is_page: bool) -> str:
    """Return a shipped template filled with values; a missing value is an error."""
    text = (files("mabos.society.simulation") / "templates" / template).read_text(encoding="utf-8")
    environment = _page_environment() if is_page else _markdown_environment()
    return environment.from_string(text).render(**values)


def style() -> str:
    """Return the style sheet to embed in pages."""
    return (files("mabos.society.simulation") / "templates" / "page.css").read_text(encoding="utf-8")


@cache
def _page_environment() -> "Environment":
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


@cache
def _markdown_environment() -> "Environment":
    from jinja2 import Environment, StrictUndefined

    # Markdown knows no escaping that a reader would not see; here every value stays on its line and in its cell.
    return Environment(
        autoescape=False,  # noqa: S701
        finalize=_one_line,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _one_line(value: object) -> object:
    return one_line(value).replace("|", "\\|") if isinstance(value, str) else value
