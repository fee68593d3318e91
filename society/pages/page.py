"""A page as a search engine sees it: HTML read by lxml's tolerant parser, or Markdown with front matter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

import yaml

from mabos.configs.yaml_file import load_yaml
from mabos.society.decoding import decode_text
from mabos.workspace.text import one_line, shorten

if TYPE_CHECKING:
    from lxml.etree import _Element

HTML_ENDINGS = frozenset({".html", ".htm", ".xhtml"})
MARKDOWN_ENDINGS = frozenset({".md", ".markdown"})
_SHOWN = 120  # characters of an element
_NOT_READ = ("script", "style", "template", "noscript")  # their text is nobody's to read
_FRONT = re.compile(r"---\n(?P<fields>.*?\n)---\n(?P<body>.*)", re.DOTALL)
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)\s*#*\s*$")

Kind = Literal["link", "image", "script", "style"]


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a page: its tag for display, its line, and its text or target."""

    shown: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Heading(Element):
    """A heading of level 1 to 6."""

    level: int = 1


@dataclass(frozen=True, slots=True)
class Reference(Element):
    """A reference of a page; `text` is a link's visible text, `target` the address as written."""

    kind: Kind = "link"
    target: str = ""


@dataclass(frozen=True, slots=True)
class Picture(Element):
    """An image; `alt` is None without such an attribute, and empty for a decorative image."""

    source: str = ""
    alt: str | None = None


@dataclass(frozen=True, slots=True)
class WebPage:
    """The contents of one page; `name` is its path below the folder of the site, `size` its bytes.

    `why_unread` is why a page could not be read, or only in part.
    """

    name: str
    size: int
    titles: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    headings: tuple[Heading, ...] = ()
    pictures: tuple[Picture, ...] = ()
    references: tuple[Reference, ...] = ()
    canonicals: tuple[str, ...] = ()
    robots: frozenset[str] = frozenset()
    anchors: frozenset[str] = frozenset()
    base: str = ""
    lang: str = ""
    viewport: str = ""
    text: str = ""
    is_html: bool = True
    why_unread: str = ""

    @property
    def title(self) -> str:
        """The title, or the first heading if it is missing."""
        return next((one for one in self.titles if one), self.headings[0].text if self.headings else "")

    @property
    def is_blank(self) -> bool:
        """Return whether none of it was readable."""
        return bool(self.why_unread) and not (self.titles or self.text or self.references)

    @property
    def is_hidden(self) -> bool:
        """Return whether it asks search engines not to list it."""
        return not self.robots.isdisjoint({"noindex", "none"})


def read_page(name: str, content: bytes) -> WebPage:
    """Return the contents of a file; an unreadable one has the reason. No content raises an error."""
    if PurePosixPath(name).suffix.casefold() in MARKDOWN_ENDINGS:
        return _markdown(name, content)
    return _html(name, content)


def _html(name: str, content: bytes) -> WebPage:
    from lxml import etree

    # No network, no external entities, and lxml's own limits on depth: a page is data, whoever wrote it.
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        text = decode_text(content).replace("\0", "")
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.LxmlError as error:
        return WebPage(name, len(content), why_unread=f"is not HTML: {error}")
    if root is None:
        return WebPage(name, len(content), why_unread="is empty")
    too_deep = any("depth" in entry.message for entry in parser.error_log)
    return _build_page(name, len(content), root, "nests elements too deep; the rest was not read" if too_deep else "")


def _build_page(name: str, size: int, root: "_Element", why: str) -> WebPage:
    elements = [one for one in root.iter() if isinstance(one.tag, str)]
    metas = [one for one in elements if one.tag == "meta"]
    links = [one for one in elements if one.tag == "link"]
    titles = [one for one in elements if one.tag == "title" and not any(True for _ in one.iterancestors("svg"))]
    named = [one.get(key, "") for one in elements for key in ("id", "name") if key == "id" or one.tag == "a"]
    return WebPage(
        name=name,
        size=size,
        titles=tuple(_words(one) for one in titles),
        descriptions=tuple(one_line(one.get("content", "")) for one in _select_metas(metas, "description")),
        headings=tuple(
            Heading(_render_tag(one), _line(one), _words(one), int(str(one.tag)[1]))
            for one in elements
            if _is_heading(one)
        ),
        pictures=tuple(
            Picture(_render_tag(one), _line(one), source=one.get("src", ""), alt=one.get("alt"))
            for one in elements
            if one.tag == "img"
        ),
        references=tuple(reference for one in elements for reference in _references(one)),
        canonicals=tuple(one.get("href", "").strip() for one in links if "canonical" in _rel(one)),
        robots=frozenset(
            word.strip().casefold()
            for one in (*_select_metas(metas, "robots"), *_select_metas(metas, "googlebot"))
            for word in one.get("content", "").split(",")
        ),
        anchors=frozenset(filter(None, named)),
        base=next((one.get("href", "") for one in elements if one.tag == "base" and one.get("href")), ""),
        lang=root.get("lang", "").strip(),
        viewport=next((one.get("content", "") for one in _select_metas(metas, "viewport")), ""),
        text=_text(root),
        why_unread=why,
    )


def _is_heading(one: "_Element") -> bool:
    return str(one.tag) in {"h1", "h2", "h3", "h4", "h5", "h6"}


def _select_metas(metas: list["_Element"], name: str) -> list["_Element"]:
    return [one for one in metas if one.get("name", "").strip().casefold() == name]


def _rel(link: "_Element") -> list[str]:
    return link.get("rel", "").casefold().split()


def _references(one: "_Element") -> Iterator[Reference]:
    """Yield the references of an element: a link with its words, an image, a script or a style sheet."""
    tag, shown, line = str(one.tag), _render_tag(one), _line(one)
    href, src = one.get("href"), one.get("src")
    if tag in ("a", "area") and href is not None:
        pictured = "".join(picture.get("alt", "") for picture in one.iter("img"))
        yield Reference(shown, line, _words(one) or pictured or one.get("aria-label", ""), "link", href.strip())
    elif tag == "img" and src:
        yield Reference(shown, line, "", "image", src.strip())
    elif tag == "script" and src:
        yield Reference(shown, line, "", "script", src.strip())
    elif tag == "link" and href and "stylesheet" in _rel(one):
        yield Reference(shown, line, "", "style", href.strip())


def _words(one: "_Element") -> str:
    return one_line("".join(one.itertext()))


def _line(one: "_Element") -> int:
    return one.sourceline or 0


def _text(root: "_Element") -> str:
    from lxml import etree

    body = root.find("body")
    if body is None:
        return ""
    etree.strip_elements(body, *_NOT_READ, with_tail=False)
    return one_line(" ".join(body.itertext()))


def _render_tag(one: "_Element") -> str:
    told = "".join(f' {key}="{value}"' for key, value in one.attrib.items() if isinstance(key, str))
    return shorten(f"<{one.tag!s}{' '.join(told.splitlines())}>", _SHOWN, mark="...>")


def _markdown(name: str, content: bytes) -> WebPage:
    text = decode_text(content)
    found = _FRONT.match(text)
    fields = _fields(found["fields"]) if found else {}
    body = found["body"] if found else text
    headings = [
        Heading(line[:_SHOWN], number, heading["text"], len(heading["marks"]))
        for number, line in enumerate(body.splitlines(), start=1)
        if (heading := _HEADING.match(line))
    ]
    told = [str(fields[key]) for key in ("description", "summary") if fields.get(key)]
    return WebPage(
        name=name, size=len(content), titles=(str(fields["title"]),) if fields.get("title") else (),
        descriptions=tuple(told[:1]), headings=tuple(headings), text=one_line(body), is_html=False,
    )  # fmt: skip


def _fields(text: str) -> dict[str, object]:
    try:
        found = load_yaml(text)
    except (yaml.YAMLError, ValueError):  # a page whose front matter nobody can read still has words
        return {}
    return found if isinstance(found, dict) else {}
