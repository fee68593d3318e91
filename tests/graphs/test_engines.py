"""Runs on processes of this machine and on a Ray cluster come to the same, and errors arrive as they are."""

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from time import sleep

import pytest

from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.graphs.engines import perform_orders

HAS_RAY = find_spec("ray") is not None
NEEDS_RAY = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: pip install 'mabos[cluster]' (240 MB)")


def doubled(order: int) -> int:
    if order < 0:
        raise InvalidArgument(f"{order} is negative", argument="order")
    return 2 * order


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_order_is_answered_at_its_place(jobs: int) -> None:
    assert dict(perform_orders(doubled, [3, 1, 2], jobs=jobs)) == {0: 6, 1: 2, 2: 4}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_work_arrives_as_it_is(jobs: int) -> None:
    with pytest.raises(InvalidArgument, match="-1 is negative"):
        dict(perform_orders(doubled, [1, -1], jobs=jobs))


def noted(order: Path) -> None:
    if order.name == "0":
        raise InvalidArgument("the first is wrong")
    sleep(0.2)
    order.touch()


def killed(order: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_after_an_error_nothing_begins_any_more(tmp_path: Path) -> None:
    orders = [tmp_path / str(number) for number in range(60)]
    with pytest.raises(InvalidArgument, match="the first is wrong"):
        list(perform_orders(noted, orders, jobs=2))
    assert len(list(tmp_path.iterdir())) < 40


def test_a_process_that_is_killed_at_its_work_is_told_with_what_to_do() -> None:
    with pytest.raises(Unavailable, match=r"ended at its work.*try again with fewer jobs"):
        list(perform_orders(killed, [1, 2], jobs=2))


def test_no_orders_are_no_work_and_no_jobs_are_a_mistake() -> None:
    assert list(perform_orders(doubled, [], jobs=0)) == []
    with pytest.raises(InvalidArgument, match="jobs is 0"):
        perform_orders(doubled, [1], jobs=0)


def test_an_engine_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidArgument, match="local, ray"):
        list(perform_orders(doubled, [1], jobs=1, engine="slurm"))  # type: ignore[arg-type]  # as a caller may mistype it


def test_without_ray_its_engine_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(Unavailable, match="mabos.cluster.*or use the engine local"):  # noqa: RUF043
        list(perform_orders(doubled, [1], jobs=1, engine="ray"))


@NEEDS_RAY
@pytest.mark.slow
def test_an_error_of_the_work_arrives_as_it_is_from_ray() -> None:
    with pytest.raises(InvalidArgument, match="-1 is negative"):
        dict(perform_orders(doubled, [1, -1], jobs=2, engine="ray"))
