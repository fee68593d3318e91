"""Search engines: defects of pages, and their ranks (TOOLS.md, SEO analytics)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.society.pages import FORMULA, Site, audit_site, rank_pages, read_site
from mabos.society.pages.keywords import WEIGHTS, Ranked, Rankings, ranking
from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.names import INTERNAL
from mabos.workspace.text import query_terms

SITE, CONTENT = "site", "content"
_MOST_KEYWORDS = 100


def seo_audit(agent: Agent, *, path: str = SITE, limit: Count = 200, business_id: str = "") -> dict[str, Any]:
    """Read the HTML pages below a folder and return what is wrong with each, how gravely, what mends it, and a score.

    Args:
        path: The folder, from the business's own folder on; a person may name any in the workspace.
        limit: The most findings to return, the gravest first; all of them count.
        business_id: The business; the agent's own if left out.
    """
    folder, shown = _folder(agent, business_of(agent, business_id), path)
    site = read_site(folder)
    if not site.pages and not site.unread:
        raise InvalidArgument(f"{shown} has no HTML pages; name the folder with the .html files", argument="path")
    audit = audit_site(site)
    graver = [one for one in audit.findings if one.severity != "notice"]
    return {
        "folder": shown,
        "score": audit.score,
        "formula": FORMULA,
        "pages": [
            {"page": name, "score": points, "findings": sum(one.page == name for one in audit.findings)}
            for name, points in sorted(audit.pages.items(), key=lambda one: (one[1], one[0]))
        ],
        "counts": audit.counts,
        "findings": [asdict(one) for one in audit.findings[:limit]],
        "found": len(audit.findings),
        "left_out_pages": site.left_out,
        "text": "\n".join(
            [
                f"{shown}: {audit.score:g} of 100 points over {len(audit.pages)} pages, {len(audit.findings)} findings",
                *(f"{one.severity} {one.page}:{one.line} {one.message} {one.mend}" for one in graver[:20]),
            ]
        ),
    }


def keyword_tracker(
    agent: Agent, *, keywords: list[Text] | None = None, path: str = "", limit: Count = 10, business_id: str = ""
) -> dict[str, Any]:
    """Rank the business's own pages for keywords, keep their places, and return how they moved since the last call.

    Args:
        keywords: What people search for; all that were tracked before if left out.
        path: The folder with the pages, HTML or Markdown; the folders site and content of the business if left out.
        limit: The most pages to return for each keyword; the history has the first 20.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    wanted = _keywords(business.keywords, keywords)
    corpus, shown = _corpus(agent, business, path)
    found = rank_pages(corpus.pages, wanted)
    at = iso(agent.clock())
    told = [
        _compare_rankings(business.keywords, keyword, places, corpus=shown, at=at, limit=limit)
        for keyword, places in found.items()
    ]
    business.keywords.keep(ranking(keyword, at, shown, places) for keyword, places in found.items())
    return {
        "corpus": shown,
        "pages": len(corpus.pages),
        "at": at,
        "weights": dict(WEIGHTS),
        "keywords": told,
        "text": "\n".join(_line(one) for one in told),
    }


def _keywords(known: Rankings, given: list[str] | None) -> list[str]:
    wanted = [" ".join(one.casefold().split()) for one in given or ()] or known.keywords()
    if not wanted:
        message = "no keyword was ever tracked here; give 'keywords', as [\"invoice software\"]"
        raise InvalidArgument(message, argument="keywords")
    for one in wanted:
        if not query_terms(one):
            raise InvalidArgument(f"{one!r} has no searchable word", argument="keywords")
    if len(wanted) > _MOST_KEYWORDS:
        message = f"{len(wanted)} keywords are more than {_MOST_KEYWORDS}; ask for them in parts"
        raise InvalidArgument(message, argument="keywords")
    return list(dict.fromkeys(wanted))


def _corpus(agent: Agent, business: Business, path: str) -> tuple[Site, str]:
    """Return the pages to rank and their name: a folder, or all that the business has published."""
    if path:
        folder, shown = _folder(agent, business, path)
        site = read_site(folder, markdown=True)
    else:
        parts = {name: business.directory / name for name in (SITE, CONTENT) if (business.directory / name).is_dir()}
        pages = {
            f"{name}/{page}": one
            for name, folder in parts.items()
            for page, one in read_site(folder, markdown=True).pages.items()
        }
        site, shown = Site(pages), " and ".join(parts) or f"{SITE} and {CONTENT}"
    if not site.pages:
        message = f"{shown} holds no pages; put HTML or Markdown there, or publish with content_generate"
        raise InvalidArgument(message, argument="path")
    return site, shown


def _folder(agent: Agent, business: Business, path: str) -> tuple[Path, str]:
    """Return the folder that a path names, and the path as it is shown; raises `InvalidArgument`.

    An agent sees its business, a person the workspace; internal folders are hidden.
    """
    layout, home = agent.services.layout, business.directory.resolve()
    bounds = home if agent.caller.kind == "agent" else layout.root
    try:
        folder = (home / path).resolve()
        is_folder = folder.is_dir()
    except (OSError, ValueError, RuntimeError):
        folder, is_folder = home, False
    if not folder.is_relative_to(bounds) or INTERNAL in folder.relative_to(bounds).parts:
        message = f"{path[:200]!r} is outside of {bounds.name!r}; name a folder within it, as {SITE!r}"
        raise InvalidArgument(message, argument="path")
    shown = (
        folder.relative_to(home).as_posix() if folder.is_relative_to(home) else folder.relative_to(bounds).as_posix()
    )
    if not is_folder:
        message = f"there is no folder {path[:200]!r} in businesses/{business.id}; put the pages there, or name another"
        raise InvalidArgument(message, argument="path")
    return folder, shown


def _compare_rankings(
    known: Rankings, keyword: str, places: list[Ranked], *, corpus: str, at: str, limit: int
) -> dict[str, Any]:
    """Return the places of a keyword with those of the last look; a lower place is further up."""
    history = [one for one in known.history(keyword, corpus) if one.at < at]
    before = history[-1].places if history else {}
    there = {one.page for one in places}
    rows = [
        {
            **asdict(one),
            "before": before.get(one.page),
            "moved": before[one.page] - one.place if one.page in before else None,
        }
        for one in places[:limit]
    ]
    return {
        "keyword": keyword,
        "found": len(places),
        "places": rows,
        "new": [one.page for one in places[:limit] if history and one.page not in before],
        "gone": [page for page in before if page not in there],
        "since": history[-1].at if history else None,
        "history": [{"at": one.at, "places": dict(one.places)} for one in history[-12:]],
    }


def _line(told: dict[str, Any]) -> str:
    if not told["places"]:
        return f"{told['keyword']}: no page holds it"
    best = told["places"][0]
    way = {None: "", 0: ", as before"}.get(best["moved"], f", {best['moved']:+d}" if best["moved"] else "")
    return f"{told['keyword']}: {best['page']} leads {told['found']} pages with {best['score']:g}{way}"


TOOLS: list[Tool] = [
    Tool.of(seo_audit, module="SEO analytics", writes=False, category="content"),
    # It costs nothing and stays inside: only the history of places is written.
    Tool.of(keyword_tracker, module="SEO analytics", writes=True, category="reporting"),
]
