"""Pages on disk: their search-engine faults, and the best page for a keyword.

Read in this order:

- `page.py`: one file, HTML or Markdown, as a search engine sees it
- `tree.py`: all pages below a folder, the unreadable ones, and the targets of links
- `faults.py`: faults of one page by itself, and between pages: links, canonical addresses, duplicate titles,
  `robots.txt`
- `audit.py`: all findings with their fixes, and the score with its formula
- `keywords.py`: ranks of pages for keywords by BM25, and their changes over time

>>> page = read_page("index.html", b"<html lang=en><title>Acme</title><h1>Ledgers</h1>")
>>> page.titles, [heading.text for heading in page.headings]
(('Acme',), ['Ledgers'])
"""

from mabos.society.pages.audit import FORMULA, PageFinding, SiteAudit, audit_site
from mabos.society.pages.keywords import KeywordRanking, open_rankings, rank_pages
from mabos.society.pages.page import WebPage, read_page
from mabos.society.pages.tree import Site, read_site

__all__ = [
    "FORMULA", "KeywordRanking", "PageFinding", "Site", "SiteAudit", "WebPage", "audit_site", "open_rankings",
    "rank_pages", "read_page", "read_site",
]  # fmt: skip
