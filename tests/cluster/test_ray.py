"""Work on a Ray cluster of two machines, both on loopback, one of which is lost in the middle."""

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from mabos.graphs.batch import batch
from mabos.graphs.companies import live_companies
from mabos.graphs.engines import perform_orders
from tests.cluster.postgres_server import REQUIRED
from tests.cluster.test_companies import founded, unread
from tests.cluster.test_lost_runs import weeks

pytestmark = pytest.mark.slow

PLACES = (f"127.0.0.{number}" for number in range(2, 9))
"""An address for each machine; Ray takes 127.0.0.1 for another name of this one's."""
WHOLE = ("journal.jsonl", "kpis.csv", "manifest.json", "report.md", "report.html")


class Machines:
    """A head that does no work, and two machines that do one thing at a time."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "node_ip_address": next(PLACES), "include_dashboard": False}
        self._cluster = Cluster()
        _patiently(self._cluster.add_node, **head)
        self.address = str(self._cluster.address)
        self._all: list[Any] = []

    def join(self) -> None:
        """Have machines join until there are two."""
        while len(self._all) < 2:
            self._all.append(_patiently(self._cluster.add_node, num_cpus=1, node_ip_address=next(PLACES)))

    def lose(self) -> None:
        """Kill a machine with everything that runs there."""
        self._cluster.remove_node(self._all.pop(), allow_graceful=False)

    def close(self) -> None:
        """Stop them all."""
        self._cluster.shutdown()


def _patiently(start: Callable[..., Any], **terms: Any) -> Any:
    """Return a machine that was started; Ray itself gives one half a minute, which a busy computer may need longer."""
    while True:
        try:
            return start(**terms)
        except Exception as error:  # Ray has no narrower one for this
            if "timed out during startup" not in str(error):
                raise


@pytest.fixture(scope="module")
def cluster() -> Iterator[Machines]:
    """Start the cluster that RAY_ADDRESS names."""
    if find_spec("ray") is None:
        (pytest.fail if REQUIRED else pytest.skip)("Ray is not installed: pip install 'mabos[cluster]' (240 MB)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Machines()
        patch.setenv("RAY_ADDRESS", made.address)
        yield made
        made.close()


@pytest.fixture
def machines(cluster: Machines) -> Machines:
    """Return the cluster with both its machines."""
    cluster.join()
    return cluster


def test_a_batch_that_loses_a_machine_in_the_middle_comes_to_the_same_bytes(machines: Machines, tmp_path: Path) -> None:
    terms: dict[str, Any] = {"policies": ["bdi"], "seeds": ["1", "2"], "weeks": 4}
    there, over, hit = tmp_path / "there", Event(), list[int]()

    def lose_one_that_works() -> None:
        runs = [there / "saas" / "bdi" / seed for seed in ("1", "2")]
        while not over.wait(0.02):
            if all(weeks(run) for run in runs):  # both machines are at work, whichever is lost
                hit.extend(weeks(run) for run in runs)
                machines.lose()
                return

    thread = Thread(target=lose_one_that_works)
    thread.start()
    try:
        lost = batch(["saas"], out=there, engine="ray", jobs=2, **terms)
    finally:
        over.set()
        thread.join()
    assert len(hit) == 2
    assert max(hit) < 4, "neither run was over"
    here = batch(["saas"], out=tmp_path / "here", **terms)
    assert lost.results == here.results
    assert lost.table.read_bytes() == here.table.read_bytes()
    assert lost.runs.read_bytes() == here.runs.read_bytes()
    written = [one.relative_to(here.directory) for one in here.directory.rglob("*") if one.name in WHOLE]
    assert len(written) == 2 * len(WHOLE)
    assert [one for one in written if (there / one).read_bytes() != (here.directory / one).read_bytes()] == []


def test_companies_that_are_live_on_a_cluster_each_have_their_letters_read(machines: Machines, tmp_path: Path) -> None:
    roots = [founded(tmp_path / name, name) for name in ("acme", "bakery")]
    ended = {Path(one.workspace): one for one in live_companies(roots, once=True, engine="ray")}
    for root in roots:
        assert ended[root].problem == ""
        assert ended[root].agents["cfo"]
        assert unread(root) == []


def placed(order: tuple[Path, int]) -> int:
    """Return a number, once both machines have each begun on one."""
    folder, number = order
    (folder / str(number)).touch()
    while len(list(folder.iterdir())) < 2:
        pass
    return os.getpid()


def test_orders_are_spread_over_the_machines(machines: Machines, tmp_path: Path) -> None:
    told = dict(perform_orders(placed, [(tmp_path, 0), (tmp_path, 1)], jobs=2, engine="ray"))
    assert len(set(told.values())) == 2
