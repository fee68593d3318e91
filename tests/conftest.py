"""What tests stand on: the repository's root, an environment free of its user's settings, and an open workspace.

No test fails by how fast this machine is: what hypothesis tries may take its time.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services
    from tests.contracts.neo4j_server import Server
    from tests.world import Member, World

ROOT = Path(__file__).resolve().parent.parent
FOREIGN = ("MABOS_", "OPENAI_", "NEO4J_", "CHROMA_", "LANGSMITH_", "LANGCHAIN_")

if str(ROOT) not in sys.path:  # the packages are literal top-level folders; without an installation they lie here
    sys.path.insert(0, str(ROOT))

settings.register_profile("any machine", max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests' files in memory where there is room, and let programs that tests start hear every signal.

    A shell's job in the background, and `nohup`, ignore some for all that they start; caught here, they are not ignored
    there.
    """
    from tests import room

    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if room.roomy():
        os.environ.setdefault(room.VARIABLE, str(room.MEMORY))
    if config.getoption("numprocesses", None) is None:  # this process reads tests, and starts none that do
        gc.disable()  # until they are read: of what that makes, nearly nothing is garbage


def pytest_collection_finish() -> None:
    """Collect garbage again, without going through the tests themselves and all modules each time."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _an_environment_of_its_own() -> Iterator[None]:
    """Take away settings that would change results, and make any unexpected model call an error."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN)]:
            patch.delenv(name)
        patch.setenv("MABOS_FORBID_MODEL", "1")
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # each of a thousand programs would compile everything
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's root."""
    return ROOT


@pytest.fixture
def world(tmp_path: Path) -> Iterator["World"]:
    """Open a workspace with one business, `acme`, made of the template `saas`; the test moves its clock."""
    from tests.world import World

    with World(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def cfo(tmp_path: Path) -> Iterator["Member"]:
    """Return the CFO of a small company, in whose name the owner calls tools."""
    from tests.world import WORDS_ALONE, World

    with World.small(tmp_path, settings=WORDS_ALONE, variables={}) as opened:
        yield opened.owner("cfo")


@pytest.fixture
def coo(tmp_path: Path) -> Iterator["Member"]:
    """Return the COO of a founded company, who wants nothing by itself."""
    from tests.world import World

    with World(tmp_path) as opened:
        yield opened.quiet("coo")


@pytest.fixture
def services(tmp_path: Path) -> Iterator["Services"]:
    """Open such a workspace, in which time passes."""
    from mabos.workspace.clock import system_clock
    from tests.world import World

    with World(tmp_path / "workspace", clock=system_clock) as opened:
        yield opened.services


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Server"]:
    """Lend the Neo4j that all the workers of this run share."""
    from tests.contracts.neo4j_server import borrowed

    folder = tmp_path_factory.getbasetemp()
    with borrowed((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "neo4j") as server:
        yield server
