"""The servers that tests of more than one machine stand on."""

from collections.abc import Iterator

import pytest

from tests.cluster.postgres_server import served


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the address of a Postgres of this worker, which ends with it."""
    with served() as address:
        yield address
