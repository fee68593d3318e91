"""Published content and drafts of a business: Markdown files with front matter or pages of its site, and their
register.
"""

from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Literal

import yaml

from mabos.configs.yaml_file import packaged_yaml
from mabos.workspace.records import declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.text import one_line, slug
from mabos.workspace.view import View

ContentType = Literal["blog_post", "case_study", "landing_page", "pricing_page", "help_article", "announcement"]

TEMPLATE = "template"
_DESCRIPTION = 160  # characters that searchers are shown
CONTENT_COST_USD = 250.0
"""The cost of editing and distributing one piece; writing it is the agents' own work."""


@record("content.json", "content", noun="article")
@dataclass(frozen=True, slots=True)
class Article:
    """One piece of content; `path` is relative to the business's folder.

    `written_by` is the chat model that wrote the body, or "template". A draft lists its missing texts in `blanks`.
    """

    id: str
    type: ContentType
    title: str
    path: str
    topic: str = ""
    tier: str = ""
    status: Literal["draft", "published", "withdrawn"] = "published"
    blanks: tuple[str, ...] = ()
    words: int = 0
    written_by: str = TEMPLATE
    created_at: str = ""
    created_by: str = ""


def file_stem(title: str) -> str:
    """Return a file stem for a title: lower-case words joined by `-`, at most 48 characters.

    >>> file_stem("Why teams switch: 5 reasons!")
    'why-teams-switch-5-reasons'
    """
    return slug(title.encode("ascii", "replace").decode(), limit=48) or "untitled"


def headline(type_: ContentType, title: str = "", about: str = "") -> str:
    """Return the headline of a piece on one line: the given one, else its subject and kind.

    >>> headline("pricing_page", about="enterprise")
    'Enterprise: pricing page'
    """
    kind, given, subject = type_.replace("_", " "), one_line(title), one_line(about)
    return given or (f"{subject.capitalize()}: {kind}" if subject else kind.capitalize())


def outline(article: Article, *, business: str, audience: str = "") -> str:
    """Return the template body of a piece: plain headings to fill in, without invented claims."""
    return "\n\n".join(f"## {heading}\n\n{line}" for heading, line in _sections(article, business, audience))


def draft(article: Article, *, business: str) -> tuple[str, tuple[str, ...]]:
    """Return the body of a draft with its blanks marked, and the texts a person must write, by heading."""
    sections = _sections(article, business)
    body = "\n\n".join(f"## {heading}\n\n[To write: {line}]" for heading, line in sections)
    return body, tuple(f"{heading}: {line}" for heading, line in sections)


def _sections(article: Article, business: str, audience: str = "") -> list[tuple[str, str]]:
    names = {
        "topic": article.topic or article.title,
        "reader": audience or (f"{article.tier} customers" if article.tier else "customers"),
        "business": business,
    }
    return [(heading.format(**names), line.format(**names)) for heading, line in _outlines()[article.type]]


def render_article(article: Article, body: str) -> str:
    """Return the file's text: YAML front matter from the register, then title and body."""
    fields = {
        "id": article.id, "type": article.type, "title": article.title, "topic": article.topic, "tier": article.tier,
        "author": article.created_by, "date": article.created_at,
    }  # fmt: skip
    kept = {key: value for key, value in fields.items() if value}
    front = yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{front}---\n\n# {article.title}\n\n{body.strip()}\n"


def page(article: Article, body: str, *, business: str) -> str:
    """Return the piece as an HTML page of the site, with the tags for search engines, and no script."""
    parts = [part.strip() for part in body.strip().split("\n\n") if part.strip()]
    told = one_line(f"{article.title}. {' '.join(part for part in parts if not part.startswith('## '))}")
    lines = [f"<h2>{escape(part[3:])}</h2>" if part.startswith("## ") else f"<p>{escape(part)}</p>" for part in parts]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f"<title>{escape(article.title)} · {escape(business)}</title>",
            f'<meta name="description" content="{escape(told[:_DESCRIPTION])}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="author" content="{escape(article.created_by)}">',
            f'<meta name="date" content="{escape(article.created_at)}">',
            "</head>",
            "<body>",
            f"<h1>{escape(article.title)}</h1>",
            *lines,
            "</body>",
            "</html>",
            "",
        ]
    )


def open_content(directory: Path, sync: Sync) -> View[Article]:
    """Return the register of published content for the business in `directory`."""
    return View(declaration(Article).open(directory, sync), Article)


@cache
def _outlines() -> dict[str, Any]:
    """Return the parts of each type of content, as heading and first line."""
    return packaged_yaml("outlines.yaml")
