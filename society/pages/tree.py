"""All pages below a folder, and the targets of their links."""

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath
from stat import S_ISREG
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from mabos.society.decoding import decode_text
from mabos.society.pages.page import HTML_ENDINGS, MARKDOWN_ENDINGS, WebPage, read_page

if TYPE_CHECKING:
    from urllib.robotparser import RobotFileParser

LARGEST = 2_000_000
"""Bytes of a page that is read; what is larger no search engine reads to its end either."""

MOST_PAGES = 2_000
ROBOTS = "robots.txt"
_MOST_FILES = 100_000


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that was not read, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link within the site: a file and a fragment of it; `why` is its error, if any."""

    name: str = ""
    fragment: str = ""
    why: str = ""


@dataclass(frozen=True)
class Site:
    """The pages below a folder by name, the names of all its files, and the unread ones.

    `left_out` counts the pages beyond `MOST_PAGES`.
    """

    pages: dict[str, WebPage]
    files: frozenset[str] = frozenset()
    unread: tuple[Unread, ...] = ()
    left_out: int = 0
    robots: str = ""
    spelled: dict[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """The site's address, from the canonical address of most of its pages; "" if none has one."""
        hosts = Counter(
            host for page in self.pages.values() for one in page.canonicals if (host := _split(one)[0]) and one
        )
        return min(hosts, key=lambda host: (-hosts[host], host)) if hosts else ""

    def place(self, page: WebPage, target: str, host: str) -> LinkTarget | None:
        """Return where a page's link leads within the site; None for other targets, like `mailto:`."""
        try:
            parts = urlsplit(target)
            base = urlsplit(page.base)
        except ValueError:
            return LinkTarget(why="is no address")
        if parts.scheme not in ("", "http", "https") or (parts.netloc or base.netloc) not in ("", host):
            return None
        path = unquote(parts.path)
        if not path and not parts.netloc:
            return LinkTarget(page.name, parts.fragment)
        if not path.startswith("/"):
            path = join("/", dirname(unquote(base.path) if base.path else page.name), path)
        return self._resolve_path(path, parts.fragment)

    def _resolve_path(self, path: str, fragment: str) -> LinkTarget:
        name = normpath(path).lstrip("/")
        if _climbs_out(path):
            return LinkTarget(name, fragment, "leads out of the site")
        name = "" if name == "." else name
        for there in (name, f"{name}/index.html".lstrip("/"), f"{name}.html"):
            if there in self.files:
                return LinkTarget(there, fragment)
        other = self.spelled.get(name.casefold())
        return LinkTarget(name, fragment, f"differs from {other!r} in its capitals" if other else "does not exist")

    def crawlable(self) -> "RobotFileParser | None":
        """Return the rules of `robots.txt`; None if it is missing or unreadable."""
        if not self.robots:
            return None
        from urllib.robotparser import RobotFileParser

        rules = RobotFileParser()
        try:
            rules.parse(self.robots.splitlines())
        except ValueError:
            return None
        return rules


def read_site(root: Path, *, markdown: bool = False) -> Site:
    """Return the HTML pages below a folder, with `markdown` also those in Markdown.

    Links are not followed and hidden files are left out: nothing outside the folder is read. Unreadable files are
    reported and raise no errors.
    """
    endings = HTML_ENDINGS | MARKDOWN_ENDINGS if markdown else HTML_ENDINGS
    every = _names(root)
    names = [name for name in every if _is_text(name)]
    wanted = [name for name in names if PurePosixPath(name).suffix.casefold() in endings]
    pages = dict[str, WebPage]()
    strange = (os.fsencode(name).decode("utf-8", "replace") for name in every if not _is_text(name))
    unread = [Unread(name, "has a name that is not UTF-8, so no link can lead to it; rename it") for name in strange]
    for name in wanted[:MOST_PAGES]:
        content = _content(root / name)
        if isinstance(content, str):
            unread.append(Unread(name, content))
            continue
        page = read_page(name, content)
        if page.is_blank:
            unread.append(Unread(name, page.why_unread))
        else:
            pages[name] = page
    robots = _content(root / ROBOTS) if ROBOTS in names else b""
    told = decode_text(robots) if isinstance(robots, bytes) else ""
    spelled = {name.casefold(): name for name in names}
    return Site(pages, frozenset(names), tuple(unread), max(0, len(wanted) - MOST_PAGES), told, spelled)


def _is_text(name: str) -> bool:
    """Return whether a name can be written down: one that is not UTF-8 can be neither linked nor shown."""
    return os.fsencode(name).decode("utf-8", "replace") == name


def _names(root: Path) -> list[str]:
    """Return the files below a folder, by path; links and hidden ones are none."""
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        below = Path(folder)
        found += [
            (below / one).relative_to(root).as_posix()
            for one in sorted(files)
            if not one.startswith(".") and not (below / one).is_symlink()
        ]
        if len(found) > _MOST_FILES:
            break
    return sorted(found[:_MOST_FILES])


def _content(path: Path) -> bytes | str:
    """Return the bytes of a file, or why it was not read."""
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            return "is not a regular file"
        if status.st_size > LARGEST:
            return f"has {status.st_size:,} bytes; at most {LARGEST:,} are read"
        return path.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"


def _climbs_out(path: str) -> bool:
    depth = 0
    for part in path.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return False


def _split(address: str) -> tuple[str, str]:
    """Return host and path of an address; two empty texts if it is invalid."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "", ""
    return parts.netloc, parts.path
