"""A company that was founded once, and a copy of it for every test that changes it."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.company import Company


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """A fresh company that tests only look at."""
    company = Company(tmp_path_factory.mktemp("acceptance") / "workspace")
    company.data("business", "create", "acme", "--name", "Acme", "--template", "saas")
    return company


@pytest.fixture
def acme(founded: Company, tmp_path: Path) -> Company:
    """A fresh company of the test's own: a copy of the founded one."""
    return Company(Path(shutil.copytree(founded.root, tmp_path / "workspace")))
