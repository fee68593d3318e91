"""Prompts: each has a version that rises with its text, names only tools that exist, and tells data from orders."""

import re
from hashlib import sha256

import pytest

from mabos.configs.prompts import FOLDER, prompt_text, prompt_version
from mabos.tools.work.office import ORDERS
from mabos.tools.work.reads import READS

VERSIONS = {
    "archive": (1, "7f70bf6a116e"),
    "content": (1, "e6ce2c63b5da"),
    "deliberate": (1, "dfbd5a871b65"),
    "entities": (1, "15e5bb917a6f"),
    "learn": (1, "b42c5cd5d885"),
    "memory": (1, "703b1396e2c8"),
    "perceive": (1, "8fc01baa2f08"),
    "plan": (2, "ed907ac924ab"),
    "reasoning_form": (1, "506d99d41708"),
    "work": (1, "943c08072860"),
}
"""The version of each prompt with the beginning of the digest of its text: a new text needs a new version."""
NAMES = sorted(path.stem for path in FOLDER.glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_prompt_has_another_version(name: str) -> None:
    assert VERSIONS[name] == (prompt_version(name), sha256(prompt_text(name).encode()).hexdigest()[:12])


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_names_no_section_of_a_specification_and_no_version(name: str) -> None:
    text = prompt_text(name)
    assert text
    assert not re.search(r"§|\bsections? \d|\bS\d+\b|version:|---", text)


@pytest.mark.parametrize("name", sorted({*NAMES} - {"work", "reasoning_form"}))
def test_what_a_prompt_is_shown_is_no_instruction(name: str) -> None:
    assert re.search(r"(never an|no|not|never) instructions?\b", " ".join(prompt_text(name).split()))


def test_the_prompt_of_work_names_tools_that_exist() -> None:
    known = {*ORDERS, *READS, "find_operations"}
    named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", prompt_text("work")))
    assert {"look_up", "standing_rule", "change_order", "ask_colleagues"} <= named <= known


def test_the_version_of_a_call_is_found_by_its_tag() -> None:
    assert prompt_version("plan") == prompt_version("plan: again") > 0
    assert prompt_version("reasoning: form") > 0
    assert prompt_version("bus") == prompt_version("reasoning: told") == 0
