"""What is wrong between pages: where links lead, canonical addresses, what is said twice, and `robots.txt`."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from urllib.parse import quote, urlsplit

from mabos.society.pages.faults import PageFault
from mabos.society.pages.page import WebPage
from mabos.society.pages.tree import ROBOTS, LinkTarget, Site

_CRAWLER = "Googlebot"
_TOP = ("", "top")


def link_faults(site: Site, page: WebPage, host: str) -> Iterator[PageFault]:
    """Yield the references of a page that lead nowhere within the site."""
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
    """Yield what is wrong with the address that a page calls its own."""
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
    """Yield the pages whose title or description another page has too."""
    yield from _shared(site, "title", lambda page: next((one for one in page.titles if one), ""))
    yield from _shared(site, "description", lambda page: next((one for one in page.descriptions if one), ""))


def robots_faults(site: Site) -> Iterator[tuple[WebPage, PageFault]]:
    """Yield the pages that `robots.txt` keeps from being found."""
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


def _shared(site: Site, what: str, said: Callable[[WebPage], str]) -> Iterator[tuple[WebPage, PageFault]]:
    by_text: dict[str, list[WebPage]] = defaultdict(list)
    for page in site.pages.values():
        if text := " ".join(said(page).casefold().split()):
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
