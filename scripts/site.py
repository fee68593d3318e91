"""Extensions of the mkdocs build: pages at the repository's root, links, and search from a folder.

`ARCHITECTURE.md`, `CONTRIBUTING.md` and `CHANGELOG.md` stay at the repository's root, and are also pages of the site. A
link to a source file has no target there, so it becomes the file's name.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the root, and their names as pages."""

_SHIM = "https://unpkg.com/iframe-worker/shim"  # what the theme's offline plugin names
_LINK = re.compile(r"\[(?P<text>[^\]\n]+)\]\((?P<to>[^)\s:#]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files of the site, including the root's pages."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page's text with links that work within the site; the other arguments are mkdocs' convention."""
    del config, files
    return within_site(markdown, ROOT if page.file.src_uri in PAGES.values() else ROOT / "docs")


def on_post_build(config: MkDocsConfig) -> None:
    """Make search work from a folder without a script from another server."""
    for path in Path(config.site_dir).rglob("*.html"):
        up = "../" * (len(path.relative_to(config.site_dir).parts) - 1)
        path.write_text(path.read_text("utf-8").replace(_SHIM, f"{up}worker.js"), "utf-8")


def within_site(markdown: str, folder: Path) -> str:
    """Return the text of a page in `folder`, with its file links changed to site pages or names."""

    def led(link: re.Match[str]) -> str:
        path = (folder / link["to"]).resolve()
        if not path.exists() or path.is_relative_to(ROOT / "docs") or path == ROOT / "README.md":
            home = "index.md" if path == ROOT / "README.md" else link["to"].removeprefix("docs/")
            return f"[{link['text']}]({home}{link['anchor'] or ''})"
        name = path.relative_to(ROOT).as_posix()
        if name in PAGES:
            return f"[{link['text']}]({PAGES[name]}{link['anchor'] or ''})"
        return link["text"] if "`" in link["text"] else f"`{link['text']}`"

    return _LINK.sub(led, markdown)
