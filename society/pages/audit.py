"""The audit of a site: every finding with its fix, and a reproducible score."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from mabos.society.pages.faults import (
    CHECKS,
    PageFault,
    Severity,
    canonical_faults,
    faults,
    link_faults,
    robots_faults,
    said_twice,
)
from mabos.society.pages.page import WebPage
from mabos.society.pages.tree import Site

COSTS: dict[Severity, int] = {"error": 15, "warning": 5, "notice": 1}
FORMULA = (
    "a page has 100 points less 15 for each check that fails with an error, 5 with a warning and 1 with a notice, "
    "however often it fails there, never below 0, and 0 where it cannot be read; the site has the mean of its pages"
)
_ORDER: tuple[Severity, ...] = ("error", "warning", "notice")


@dataclass(frozen=True, slots=True)
class PageFinding:
    """A fault on a page; `count` is its number of occurrences there, `line` that of the first."""

    page: str
    check: str
    severity: Severity
    message: str
    mend: str
    element: str = ""
    line: int = 0
    count: int = 1


@dataclass(frozen=True, slots=True)
class SiteAudit:
    """All findings, most serious first, and the points of the site and of each page."""

    score: float
    pages: dict[str, int]
    findings: tuple[PageFinding, ...]

    @property
    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity."""
        counted = Counter(one.severity for one in self.findings)
        return {severity: counted[severity] for severity in _ORDER}


def audit_site(site: Site) -> SiteAudit:
    """Return the faults of a site's HTML pages; a site without pages has no points."""
    host = site.host
    found = Counter[tuple[str, PageFault]]()
    for page in site.pages.values():
        found.update((page.name, fault) for fault in _of_page(site, page, host))
    found.update((page.name, fault) for page, fault in chain(said_twice(site), robots_faults(site)))
    found.update((one.name, PageFault("unread", f"The file {one.why}.")) for one in site.unread)
    findings = [_finding(name, fault, count) for (name, fault), count in _group_faults(found).items()]
    findings.sort(key=lambda one: (_ORDER.index(one.severity), one.page, one.line, one.check, one.element))
    failed: dict[str, dict[str, Severity]] = {name: {} for name in site.pages}
    for one in findings:
        failed.setdefault(one.page, {})[one.check] = one.severity
    points = {name: max(0, 100 - sum(COSTS[one] for one in checks.values())) for name, checks in failed.items()}
    points |= {one.name: 0 for one in site.unread}
    mean = round(sum(points.values()) / len(points), 1) if points else 0.0
    return SiteAudit(mean, points, tuple(findings))


def _of_page(site: Site, page: WebPage, host: str) -> Iterator[PageFault]:
    yield from faults(page)
    yield from canonical_faults(site, page, host)
    yield from link_faults(site, page, host)


def _group_faults(found: Counter[tuple[str, PageFault]]) -> dict[tuple[str, PageFault], int]:
    """Return each fault with its count on its page: the same words in another line are the same fault."""
    first = dict[tuple[str, str, str, str], tuple[str, PageFault]]()
    counts = Counter[tuple[str, PageFault]]()
    for (name, fault), count in found.items():
        key = first.setdefault((name, fault.check, fault.message, fault.element), (name, fault))
        counts[key] += count
    return dict(counts)


def _finding(name: str, fault: PageFault, count: int) -> PageFinding:
    check = CHECKS[fault.check]
    return PageFinding(name, fault.check, check.severity, fault.message, check.mend, fault.element, fault.line, count)
