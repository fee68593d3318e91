"""What is wrong with one page by itself: each check with its severity, and what mends it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mabos.society.pages.page import WebPage

Severity = Literal["error", "warning", "notice"]

TITLE_LENGTH = (10, 60)
DESCRIPTION_LENGTH = (50, 160)
LARGE_PAGE = 100_000
"""Bytes of HTML beyond which a page is told to be large."""

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)
_NO_ZOOM = re.compile(r"user-scalable\s*=\s*(no|0)|maximum-scale\s*=\s*1(\.0*)?\s*(,|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageCheck:
    """How grave it is where a check fails, and what mends it."""

    severity: Severity
    mend: str


CHECKS: dict[str, PageCheck] = {
    "unread": PageCheck("error", "Mend the file, or split it, so that it can be read."),
    "title_missing": PageCheck("error", "Put one <title> into the head that says what this page answers."),
    "title_several": PageCheck("warning", "Keep one <title>; search engines take the first."),
    "title_length": PageCheck(
        "notice", "Write a title of {} to {} characters, the keyword first.".format(*TITLE_LENGTH)
    ),
    "title_duplicate": PageCheck("warning", "Give each page a title of its own."),
    "description_missing": PageCheck(
        "warning", 'Add <meta name="description" content="...">: it is what searchers read.'
    ),
    "description_several": PageCheck("warning", "Keep one meta description."),
    "description_length": PageCheck(
        "notice", "Write a description of {} to {} characters.".format(*DESCRIPTION_LENGTH)
    ),
    "description_duplicate": PageCheck("notice", "Describe what sets this page apart from the other one."),
    "h1_missing": PageCheck("warning", "Give the page one <h1> with its subject."),
    "h1_several": PageCheck("notice", "Keep one <h1>; make the others <h2>."),
    "heading_skipped": PageCheck("notice", "Go down one level at a time, so that the outline has no hole."),
    "heading_empty": PageCheck("warning", "Write the heading, or remove its tag."),
    "alt_missing": PageCheck("warning", 'Say in alt what the picture shows; alt="" if it only decorates.'),
    "link_empty": PageCheck("warning", "Give the link words, or its picture an alt: readers hear nothing."),
    "link_broken": PageCheck("error", "Correct the address, or put the page there."),
    "fragment_broken": PageCheck("notice", "Give the place an id of that name, or leave the fragment out."),
    "resource_missing": PageCheck("warning", "Put the file there, or remove the reference."),
    "canonical_missing": PageCheck(
        "notice", 'Add <link rel="canonical" href="..."> with the one address of this page.'
    ),
    "canonical_several": PageCheck("error", "Keep one canonical link; several are ignored."),
    "canonical_relative": PageCheck("warning", "Write the canonical address in full, from https:// on."),
    "canonical_broken": PageCheck("error", "Point the canonical link at a page that exists."),
    "canonical_hidden": PageCheck("warning", "List the page or drop its canonical link: they contradict each other."),
    "page_large": PageCheck(
        "warning", f"Bring the HTML below {LARGE_PAGE:,} bytes: move scripts, styles and data out."
    ),
    "lang_missing": PageCheck("warning", 'State the language, as <html lang="en">.'),
    "lang_unknown": PageCheck("warning", "Use a language tag, as en, de or pt-BR."),
    "viewport_missing": PageCheck(
        "warning", 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.'
    ),
    "viewport_fixed": PageCheck("notice", "Let the page follow the device's width, and let readers zoom."),
    "noindex": PageCheck("warning", "Remove noindex if the page is to be found; else leave it as it is."),
    "robots_disallowed": PageCheck("warning", "Allow the page in robots.txt if it is to be found."),
    "robots_contradiction": PageCheck(
        "warning", "Allow the page in robots.txt: a crawler kept out never sees noindex."
    ),
    "robots_unreadable": PageCheck("error", "Mend robots.txt; crawlers may take all of it for a ban."),
}
"""Every check there is; a finding names one."""


@dataclass(frozen=True, slots=True)
class PageFault:
    """One thing that is wrong: which check failed, where, and in what way."""

    check: str
    message: str
    element: str = ""
    line: int = 0


def faults(page: WebPage) -> Iterator[PageFault]:
    """Yield what is wrong with an HTML page by itself."""
    if page.why_unread:
        yield PageFault("unread", f"The page {page.why_unread}.")
    yield from _title(page)
    yield from _description(page)
    yield from _headings(page)
    yield from _pictures(page)
    yield from _document(page)


def _title(page: WebPage) -> Iterator[PageFault]:
    title = next((one for one in page.titles if one), "")
    if not title:
        yield PageFault(
            "title_missing", "The page has no title." if not page.titles else "The title is empty.", "<title>"
        )
        return
    if len(page.titles) > 1:
        yield PageFault("title_several", f"There are {len(page.titles)} titles.", "<title>")
    yield from _length("title_length", "title", title, TITLE_LENGTH)


def _description(page: WebPage) -> Iterator[PageFault]:
    shown = '<meta name="description">'
    description = next((one for one in page.descriptions if one), "")
    if not description:
        yield PageFault("description_missing", "The page has no description.", shown)
        return
    if len(page.descriptions) > 1:
        yield PageFault("description_several", f"There are {len(page.descriptions)} descriptions.", shown)
    yield from _length("description_length", "description", description, DESCRIPTION_LENGTH)


def _length(check: str, what: str, text: str, bounds: tuple[int, int]) -> Iterator[PageFault]:
    if not bounds[0] <= len(text) <= bounds[1]:
        way = "short" if len(text) < bounds[0] else "long"
        yield PageFault(
            check, f"The {what} has {len(text)} characters, which is too {way}: {text[:80]!r}.", f"<{what}>"
        )


def _headings(page: WebPage) -> Iterator[PageFault]:
    tops = [one for one in page.headings if one.level == 1]
    if not tops:
        yield PageFault("h1_missing", "The page has no main heading.", "<h1>")
    if len(tops) > 1:
        yield PageFault("h1_several", f"There are {len(tops)} main headings.", tops[1].shown, tops[1].line)
    for one in page.headings:
        if not one.text:
            yield PageFault("heading_empty", "A heading has no words.", one.shown, one.line)
    for above, below in pairwise(page.headings):
        if below.level > above.level + 1:
            message = f"h{below.level} {below.text[:60]!r} follows h{above.level}."
            yield PageFault("heading_skipped", message, below.shown, below.line)


def _pictures(page: WebPage) -> Iterator[PageFault]:
    for one in page.pictures:
        if one.alt is None:
            yield PageFault("alt_missing", f"The picture {one.source[:80]!r} says nothing.", one.shown, one.line)
    for link in page.references:
        if link.kind == "link" and not link.text.strip():
            yield PageFault("link_empty", f"The link to {link.target[:80]!r} has no words.", link.shown, link.line)


def _document(page: WebPage) -> Iterator[PageFault]:
    if page.size > LARGE_PAGE:
        yield PageFault("page_large", f"The page has {page.size:,} bytes of HTML.")
    if not page.lang:
        yield PageFault("lang_missing", "The page does not say its language.", "<html>")
    elif _LANGUAGE.fullmatch(page.lang) is None:
        yield PageFault("lang_unknown", f"{page.lang[:40]!r} is no language.", "<html>")
    shown = '<meta name="viewport">'
    if not page.viewport:
        yield PageFault("viewport_missing", "The page does not fit itself to small screens.", shown)
    elif "device-width" not in page.viewport or _NO_ZOOM.search(page.viewport):
        yield PageFault("viewport_fixed", f"The viewport is {page.viewport[:80]!r}.", shown)
    if page.is_hidden:
        yield PageFault("noindex", "The page asks not to be listed.", '<meta name="robots">')
