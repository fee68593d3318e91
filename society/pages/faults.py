"""Faults of a single page and between pages: each check with its severity and its fix."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast
from urllib.parse import quote, urlsplit

from mabos.configs.yaml_file import packaged_yaml
from mabos.society.pages.page import WebPage
from mabos.society.pages.tree import ROBOTS, LinkTarget, Site
from mabos.workspace.text import one_line

Severity = Literal["error", "warning", "notice"]

TITLE_LENGTH = (10, 60)
DESCRIPTION_LENGTH = (50, 160)
LARGE_PAGE = 100_000
"""Bytes of HTML beyond which a page is told to be large."""

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", re.IGNORECASE)
_NO_ZOOM = re.compile(r"user-scalable\s*=\s*(no|0)|maximum-scale\s*=\s*1(\.0*)?\s*(,|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageCheck:
    """The severity of a failed check, and its fix."""

    severity: Severity
    mend: str


CHECKS = {
    name: PageCheck(cast("Severity", severity), mend)
    for severity, checks in packaged_yaml("page_checks.yaml").items()
    for name, mend in checks.items()
}
"""Every check there is; a finding names one."""


@dataclass(frozen=True, slots=True)
class PageFault:
    """A fault on a page: the failed check, the place, and the details."""

    check: str
    message: str
    element: str = ""
    line: int = 0


def faults(page: WebPage) -> Iterator[PageFault]:
    """Yield the faults within an HTML page."""
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
        yield PageFault("lang_unknown", f"{page.lang[:40]!r} is not a language.", "<html>")
    shown = '<meta name="viewport">'
    if not page.viewport:
        yield PageFault("viewport_missing", "The page does not fit itself to small screens.", shown)
    elif "device-width" not in page.viewport or _NO_ZOOM.search(page.viewport):
        yield PageFault("viewport_fixed", f"The viewport is {page.viewport[:80]!r}.", shown)
    if page.is_hidden:
        yield PageFault("noindex", "The page asks not to be listed.", '<meta name="robots">')


_CRAWLER = "Googlebot"
_TOP = ("", "top")


def link_faults(site: Site, page: WebPage, host: str) -> Iterator[PageFault]:
    """Yield the references of a page to missing targets within the site."""
    for one in page.references:
        place = site.place(page, one.target, host)
        if place is None:
            continue
        if place.why:
            check = "link_broken" if one.kind == "link" else "resource_missing"
            yield PageFault(check, f"{one.target[:120]!r} {place.why}.", one.shown, one.line)
        elif one.kind == "link" and not _is_there(site, place):
            message = f"{place.name} has no place called {place.fragment[:60]!r}."
            yield PageFault("fragment_broken", message, one.shown, one.line)


def canonical_faults(site: Site, page: WebPage, host: str) -> Iterator[PageFault]:
    """Yield the faults of a page's canonical address."""
    shown = '<link rel="canonical">'
    given = [one for one in page.canonicals if one]
    if not given:
        yield PageFault("canonical_missing", "The page does not say which address is its own.", shown)
        return
    if len(set(given)) > 1:
        yield PageFault(
            "canonical_several", f"The page names {len(set(given))} addresses: {', '.join(given)[:120]}.", shown
        )
        return
    if not _is_whole(given[0]):
        yield PageFault(
            "canonical_relative", f"The canonical address {given[0][:120]!r} is not written in full.", shown
        )
    place = site.place(page, given[0], host)
    if place is not None and place.why:
        yield PageFault("canonical_broken", f"The canonical address {given[0][:120]!r} {place.why}.", shown)
    elif page.is_hidden:
        yield PageFault("canonical_hidden", "The page names its address and asks not to be listed.", shown)


def said_twice(site: Site) -> Iterator[tuple[WebPage, PageFault]]:
    """Yield the pages whose title or description is not unique."""
    yield from _find_duplicates(site, "title", lambda page: next((one for one in page.titles if one), ""))
    yield from _find_duplicates(site, "description", lambda page: next((one for one in page.descriptions if one), ""))


def robots_faults(site: Site) -> Iterator[tuple[WebPage, PageFault]]:
    """Yield the pages that `robots.txt` blocks from search engines."""
    rules = site.crawlable()
    if rules is None:
        if site.robots:
            yield WebPage(ROBOTS, len(site.robots)), PageFault("robots_unreadable", "robots.txt cannot be read.")
        return
    for page in site.pages.values():
        path = "/" + page.name.removesuffix("index.html")
        if rules.can_fetch(_CRAWLER, quote(path)):
            continue
        if page.is_hidden:
            message = "robots.txt keeps crawlers from reading that the page is not to be listed."
            yield page, PageFault("robots_contradiction", message, '<meta name="robots">')
        else:
            yield page, PageFault("robots_disallowed", f"robots.txt keeps {_CRAWLER} from {path}.")


def _find_duplicates(site: Site, what: str, said: Callable[[WebPage], str]) -> Iterator[tuple[WebPage, PageFault]]:
    by_text: dict[str, list[WebPage]] = defaultdict(list)
    for page in site.pages.values():
        if text := one_line(said(page).casefold()):
            by_text[text].append(page)
    for pages in by_text.values():
        for page in pages if len(pages) > 1 else ():
            others = [one.name for one in pages if one is not page]
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            message = f"{others[0]}{more} has the {what} {said(page)[:80]!r} too."
            yield page, PageFault(f"{what}_duplicate", message, f"<{what}>")


def _is_there(site: Site, place: LinkTarget) -> bool:
    target = site.pages.get(place.name)
    fragment = place.fragment.partition(":~:")[0]
    return target is None or fragment in _TOP or fragment in target.anchors


def _is_whole(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
