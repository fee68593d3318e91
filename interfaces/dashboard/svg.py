"""Elements of a picture, with every text and attribute escaped on insertion."""

from collections.abc import Iterable

from markupsafe import Markup, escape

from mabos.interfaces.visible import visible


def mark(name: str, text: str | Markup = "", /, **attributes: object) -> Markup:
    """Return one element; `_` in an attribute's name is written `-`, and `class_` is `class`.

    >>> str(mark("text", "a < b", x=1.25, class_="axis", text_anchor="end"))
    '<text x="1.2" class="axis" text-anchor="end">a &lt; b</text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_format_number(value))}"'
        for key, value in attributes.items()
        if value not in ("", None)
    )
    return Markup(f"<{name}{written}>{escape(text)}</{name}>")  # noqa: S704 - both were escaped; names are ours


def picture(width: float, height: float, says: str, parts: Iterable[Markup], *, class_: str = "") -> Markup:
    """Return a picture of that size with an accessible description; its elements may be links."""
    view = f"0 0 {_format_number(width)} {_format_number(height)}"
    inside = Markup("\n").join(parts)
    told = {"width": width, "height": height, "role": "group", "aria_label": says, "class_": class_}
    return wrap_markup(mark("svg", inside, viewBox=view, **told))


def wrap_markup(picture: str) -> Markup:
    """Return a picture whose labels are already escaped, without characters that reverse text."""
    return Markup(visible(picture))  # noqa: S704 - as the docstring says


def _format_number(value: object) -> object:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
