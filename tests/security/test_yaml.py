"""YAML that somebody shares - settings, plans, scenarios, templates, pages - is plain values of a bounded size."""

from pathlib import Path

import pytest
import yaml

from mabos.configs.errors import Damaged, InvalidArgument, MabosError, UnknownId
from mabos.configs.settings import DEFAULTS, load_settings
from mabos.configs.yaml_file import load_yaml, read_yaml
from mabos.society.letter_templates import template_named
from mabos.society.pages.page import read_page
from mabos.society.simulation.scenario_files import load_scenario, parse_scenario
from tests.security.work import bounded

TAGGED = (
    "a: !!python/object/apply:os.mkdir ['{place}']",
    "a: !!python/object/new:os.mkdir ['{place}']",
    "a: !!python/name:os.system ''",
    "a: !!python/module:os ''",
    "!!python/object/apply:subprocess.run [[mkdir, '{place}']]",
    "a: !<tag:yaml.org,2002:python/object/apply:os.mkdir> ['{place}']",
    "%TAG ! tag:yaml.org,2002:python/\n---\na: !object/apply:os.mkdir ['{place}']",
)


def _repeated(join: str) -> str:
    """Return nine values a line, each of which is nine of the line before: a thousand million in all."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    return join.join(lines)


ENDLESS = (
    _repeated("\n"),
    "a: &a {b: *a}",
    "a: &a [*a]",
    "scenario: &a {b: &b [*a, *a], c: *b}",
    "a: " + "[" * 100_000,
    "a: " + "{a: " * 100_000,
    "- " * 100_000 + "x",
    "? " * 100_000 + "x",
    "\n".join(f"{' ' * depth}a:" for depth in range(2_000)),
    "a: [" + "[], " * 300_000 + "]",
)


@pytest.mark.parametrize("text", TAGGED)
def test_no_tag_makes_an_object_or_calls_anything(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mabos.yaml"
    path.write_text(text.format(place=tmp_path / "ran"), "utf-8")
    with pytest.raises(Damaged, match=r"mabos\.yaml:\d+ is not valid YAML"):
        read_yaml(path)
    with pytest.raises(MabosError):
        parse_scenario(path.read_text("utf-8"), source="x.yaml")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("text", ENDLESS, ids=range(len(ENDLESS)))
def test_what_grows_without_bounds_is_refused_before_it_is_made(text: str, tmp_path: Path) -> None:
    with bounded():
        with pytest.raises(yaml.YAMLError):
            load_yaml(text)
        (tmp_path / "mabos.yaml").write_text(text, "utf-8")
        with pytest.raises(Damaged, match=r"mabos\.yaml"):
            load_settings(tmp_path)
        with pytest.raises(InvalidArgument, match="is not YAML"):
            parse_scenario(f"extends: saas\n{text}", source="x.yaml")


@pytest.mark.parametrize("text", ENDLESS[:4], ids=range(4))
def test_front_matter_that_grows_without_bounds_is_as_if_it_were_not_there(text: str) -> None:
    with bounded():
        assert read_page("post.md", f"---\n{text}\n---\n\n# Title\n\nWords.\n".encode()).headings


@pytest.mark.parametrize("text", [*ENDLESS[:4], "subject: !!python/name:os.system ''"], ids=range(5))
def test_a_letter_template_that_grows_without_bounds_is_damaged(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text(f"---\n{text}\n---\nDear you\n", "utf-8")
    with bounded(), pytest.raises(Damaged, match=r"own\.md"):
        template_named("own", tmp_path)


def test_what_is_repeated_within_reason_is_read() -> None:
    assert load_yaml("base: &base {a: 1}\nother: {<<: *base, b: [*base, *base]}") == {
        "base": {"a": 1}, "other": {"a": 1, "b": [{"a": 1}, {"a": 1}]},
    }  # fmt: skip
    assert len(load_yaml("a: [" + "[], " * 1_000 + "]")["a"]) == 1_000
    assert load_yaml(DEFAULTS.read_text("utf-8")) == yaml.safe_load(DEFAULTS.read_text("utf-8"))


def test_a_scenario_extends_one_that_ships_and_never_a_file(tmp_path: Path) -> None:
    for base in (tmp_path / "own.yaml", "/etc/hostname", "../saas", "saas.yaml"):
        (tmp_path / "own.yaml").write_text(f"extends: {base}\n", "utf-8")
        with bounded(), pytest.raises(UnknownId, match="no scenario to extend"):
            load_scenario(tmp_path / "own.yaml")
