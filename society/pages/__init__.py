"""Pages as they lie on disk: what is wrong with them for those who search, and which of them answers a keyword.

Read in this order:

- `page.py`: one file, HTML or Markdown, as what a search engine sees of it
- `tree.py`: all pages below a folder, with what could not be read, and where a link leads
- `faults.py`: what is wrong with one page by itself, and between pages: links, canonical addresses, titles said twice,
  `robots.txt`
- `audit.py`: all findings with their mends, and the score with its formula
- `keywords.py`: places of pages for keywords by BM25, and how they moved since the last look

>>> page = read_page("index.html", b"<html lang=en><title>Acme</title><h1>Ledgers</h1>")
>>> page.titles, [heading.text for heading in page.headings]
(('Acme',), ['Ledgers'])
"""

from mabos.society.pages.audit import FORMULA, PageFinding, SiteAudit, audited
from mabos.society.pages.keywords import KeywordRanking, open_rankings, ranked
from mabos.society.pages.page import WebPage, read_page
from mabos.society.pages.tree import Site, read_site

__all__ = [
    "FORMULA",
    "KeywordRanking",
    "PageFinding",
    "Site",
    "SiteAudit",
    "WebPage",
    "audited",
    "open_rankings",
    "ranked",
    "read_page",
    "read_site",
]
