from pathlib import Path
from typing import get_args

import pytest
import yaml

from mabos.society.content import Article, ContentType, file_stem, open_content, outline, render_article
from mabos.workspace.sync import Sync


def article(kind: ContentType = "blog_post", **changed: str) -> Article:
    fields = {"topic": "onboarding", "tier": "enterprise", "created_by": "cmo", **changed}
    return Article("PIECE-1", kind, 'Why: teams "switch"', "content/why.md", **fields)  # type: ignore[arg-type]  # shorthand


@pytest.mark.parametrize(
    ("title", "stem"),
    [("Why teams switch: 5 reasons!", "why-teams-switch-5-reasons"), ("../../etc", "etc"), ("日本", "untitled")],
)
def test_a_title_becomes_a_safe_file_name(title: str, stem: str) -> None:
    assert file_stem(title) == stem


@pytest.mark.parametrize("kind", get_args(ContentType))
def test_every_kind_has_an_outline_about_its_topic(kind: ContentType) -> None:
    body = outline(article(kind), business="Acme")
    assert body.startswith("## ")
    assert "onboarding" in body
    assert "{" not in body


def test_braces_in_a_topic_are_text() -> None:
    assert "{x}" in outline(article(topic="{x} and {business}"), business="Acme")


def test_front_matter_reads_back_as_yaml() -> None:
    text = render_article(article(), "Body.")
    _, front, body = text.split("---\n", 2)
    assert yaml.safe_load(front)["title"] == 'Why: teams "switch"'
    assert body.endswith("Body.\n")


def test_the_register_keeps_what_was_published(tmp_path: Path) -> None:
    register = open_content(tmp_path, Sync("off"))
    register.save(article())
    register.store.close()
    assert open_content(tmp_path, Sync("off")).one("PIECE-1") == article()
