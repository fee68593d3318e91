"""A company with one of everything, furnished once, and a copy of it for every test that changes it."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.tools.catalogue.furnished import furnish
from tests.tools.catalogue.house import house


@dataclass(frozen=True, slots=True)
class Furnished:
    """A company at rest, and the ids in it by argument."""

    root: Path
    ids: Mapping[str, Sequence[Any]]

    def copy(self, to: Path) -> Path:
        """Return the root of a copy."""
        return Path(shutil.copytree(self.root, to))

    def filled(self, value: Any) -> Any:
        """Return a value in which `{proposal_id}` and its like are the ids of this company."""
        if isinstance(value, str) and value.startswith("{") and value[1:-1] in self.ids:
            return self.ids[value[1:-1]][0]
        return {key: self.filled(one) for key, one in value.items()} if isinstance(value, Mapping) else value


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Furnished:
    """A company with one of everything; tests work on copies."""
    root = tmp_path_factory.mktemp("furnished") / "workspace"
    with house(root) as home:
        ids = furnish(home)
    return Furnished(root, ids)
