"""Damage to files of each form is said with its line, kept, and keeps no other agent from working; damage.py is all."""

import random
from pathlib import Path

import pytest

from chaos.children import child
from chaos.damage import faults, verdict
from chaos.damages import DAMAGES
from chaos.furnished import state
from tests.tools.catalogue.conftest import Furnished, furnished

__all__ = ["furnished"]  # the fixture

CASES = (
    ("agents/cfo/Beliefs.md", "emptied"),
    ("agents/cfo/facts.json", "truncated"),
    ("businesses/acme/crm/contacts.json", "truncated"),
    ("ledger/cfo.jsonl", "flipped"),
)


@pytest.mark.parametrize(("name", "how"), CASES)
def test_a_damaged_file_is_reported_kept_and_worked_around(
    name: str, how: str, furnished: Furnished, tmp_path: Path
) -> None:
    content = DAMAGES[how]((furnished.root / name).read_bytes(), random.Random(2))
    sound = child(lambda: state(furnished.copy(tmp_path / "sound"))).said
    assert verdict(furnished, tmp_path / "trial", name, content, sound) == "reported"
    assert list(faults(furnished, tmp_path / "trial", name, content, is_kept=True)) == []
