"""The documentation builds strictly: no link or anchor that leads nowhere, no page left out, nothing from elsewhere."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from mabos.configs.settings import Settings, load_settings
from mabos.configs.yaml_file import load_yaml
from mabos.interfaces.cli import front
from scripts.site import PAGES, within_site
from tests.test_readme import blocks

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_built_and_can_be_reached_from_the_first(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | {Path(page).stem for page in PAGES.values()}
    assert {path.stem for path in site.glob("*.html")} - {"404"} == pages
    first = (site / "index.html").read_text("utf-8")
    assert [page for page in sorted(pages) if f'href="{page}.html"' not in first and page != "index"] == []


def test_a_page_loads_nothing_from_another_server(site: Path) -> None:
    for path in set(site.rglob("*.html")) - {site / "404.html"}:  # which only a server shows
        text = path.read_text("utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)\b[^>]*\bsrc=\"([^\"]+)\"", text)
        loaded += re.findall(r"<link\b[^>]*rel=\"(?:stylesheet|preconnect|icon)\"[^>]*href=\"([^\"]+)\"", text)
        assert [one for one in loaded if re.match(r"(?:https?:)?//", one)] == [], path.name
        assert all((path.parent / one.partition("?")[0]).exists() for one in loaded), path.name


def test_search_has_the_words_of_every_page(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text("utf-8")
    assert all(f'"{path.stem}.html' in index for path in (ROOT / "docs").glob("*.md") if path.stem != "index")


def test_links_out_of_the_site_become_names_and_links_to_pages_of_the_root_lead_to_them() -> None:
    docs = ROOT / "docs"
    assert within_site("see [the tools](tools.md#knowledge)", docs) == "see [the tools](tools.md#knowledge)"
    assert within_site("[how](../ARCHITECTURE.md#words)", docs) == "[how](architecture.md#words)"
    assert within_site("[Python](docs/python.md)", ROOT) == "[Python](python.md)"
    assert within_site("[examples/tool_node.py](../examples/tool_node.py)", docs) == "`examples/tool_node.py`"
    assert within_site("[`mind/htn`](../mind/htn/__init__.py)", docs) == "`mind/htn`"
    assert within_site("[elsewhere](https://example.com/a)", docs) == "[elsewhere](https://example.com/a)"


def test_a_link_that_leads_nowhere_stays_for_the_build_to_find() -> None:
    assert within_site("[gone](nowhere.md)", ROOT / "docs") == "[gone](nowhere.md)"


def shown(language: str) -> list[tuple[str, str]]:
    """Return the blocks of a language on every page that is written by hand, with the page."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [(path.stem, block) for path in pages for block in blocks(language, path.read_text("utf-8"))]


def test_settings_that_a_page_shows_are_accepted(tmp_path: Path) -> None:
    seen = set()
    for page, block in shown("yaml"):
        if set(load_yaml(block)) <= set(Settings.model_fields):
            (tmp_path / "mabos.yaml").write_text(block, "utf-8")
            load_settings(tmp_path)
            seen.add(page)
    assert {"governance", "live", "models"} <= seen


def test_commands_and_extras_that_a_page_shows_for_a_shell_exist() -> None:
    """Look at the blocks that install, fetch or stay, which no test can run: their commands, options and extras."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    seen = set()
    for page, block in shown("sh"):
        assert {one for many in re.findall(r"mabos\[([\w,]+)\]", block) for one in many.split(",")} <= set(extras), page
        for line in re.findall(r"(?:^|\s)mabos ([a-z]+[^\n]*)", re.sub(r"'mabos\[.*?'", "", block)):
            command, options = line.split()[0], re.findall(r"--[a-z-]+", line)
            told = CliRunner().invoke(front, [command, "--help"])
            assert told.exit_code == 0, f"{page}: {line}"
            assert [one for one in options if one not in told.output] == [], f"{page}: {line}"
            seen.add(command)
    assert {"live", "studio"} <= seen


def test_json_that_a_page_shows_can_be_read() -> None:
    assert [json.loads(block) for _, block in shown("json")]
