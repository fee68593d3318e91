"""Engines for the runs of a batch: sequential, local processes, or a Ray cluster.

    for place, result in perform_orders(work, orders, jobs=2, engine="local"):
        ...                              # in the order in which they end; `place` is its position

Each run has its own folder and its own workspace, so an engine decides only who works, never the result. If a cluster
loses a machine, its runs start again on another and continue from the files.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.configs.settings import environment
from mabos.workspace.locks import file_lock
from mabos.workspace.names import Layout

Engine = Literal["local", "ray"]
ENGINES: tuple[str, ...] = get_args(Engine)

LOST = 3
"""The number of restarts of an order whose machine was lost."""
GRACE_S = 10.0
"""Seconds that orders under way have to end when nobody waits for them any more."""

Order = TypeVar("Order")
Answer = TypeVar("Answer")


def perform_orders(
    work: Callable[[Order], Answer], orders: Sequence[Order], *, jobs: int, engine: Engine = "local", cpus: float = 1
) -> Iterator[tuple[int, Answer]]:
    """Yield the position of each order and the result of `work` for it, as they end; `jobs` at a time.

    `work` must be a module-level function, and orders and results must be picklable. On a cluster an order takes `cpus`
    CPUs and may be started more than once. Raises `Unavailable` if the engine is not installed. An error of `work` is
    raised unchanged; orders not yet started do not start.
    """
    if engine not in ENGINES:
        raise InvalidArgument(f"engine {engine!r} is not known; use one of {', '.join(ENGINES)}", argument="engine")
    if not orders:
        return iter(())
    if jobs < 1:
        raise InvalidArgument(f"jobs is {jobs}; expected at least 1", argument="jobs")
    return _on_ray(work, orders, jobs, cpus) if engine == "ray" else _here(work, orders, jobs)


def alone(root: Path) -> AbstractContextManager[None]:
    """Lock a workspace for one order, waiting for the lock: a worker given up as lost may still be active."""
    return file_lock(Layout(root).internal / "locks" / "order.lock")


def _here(work: Callable[[Order], Answer], orders: Sequence[Order], jobs: int) -> Iterator[tuple[int, Answer]]:
    if jobs == 1:
        yield from ((place, work(order)) for place, order in enumerate(orders))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        going = {pool.submit(work, order): place for place, order in enumerate(orders)}
        try:
            for one in as_completed(going):
                yield going[one], one.result()
        except BrokenProcessPool as lost:
            said = "a process of this machine was ended at its work, as where memory is short"
            raise Unavailable(f"{said}; try again with fewer jobs; finished runs are not repeated") from lost
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # nobody waits any more for what has not begun


def _on_ray(
    work: Callable[[Order], Answer], orders: Sequence[Order], jobs: int, cpus: float
) -> Iterator[tuple[int, Answer]]:
    """Hand `jobs` orders at a time to the cluster that the environment names, else to one that lives as long as this.

    Folders of runs must be shared by all machines of a cluster: an order says where its files go.
    """
    ray = _ray()
    founded = not ray.is_initialized()
    if founded:
        named = environment().variables.get("RAY_ADDRESS", "")
        here = {"address": "local", "num_cpus": jobs, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        ray.init(**({"address": named} if named else here), log_to_driver=False, logging_level="ERROR")
    going = dict[Any, int]()
    try:
        performing = ray.remote(max_retries=LOST, num_cpus=cpus, scheduling_strategy="SPREAD")(work)
        left = list(enumerate(orders))[::-1]
        while left or going:
            while left and len(going) < jobs:
                place, order = left.pop()
                going[performing.remote(order)] = place
            ended, _ = ray.wait(list(going), num_returns=1)
            for one in ended:
                yield going.pop(one), _answer(ray, one)
    finally:
        for one in going:  # nobody waits any more
            ray.cancel(one)
        if going:
            ray.wait(list(going), num_returns=len(going), timeout=GRACE_S)
        if founded:
            ray.shutdown()


def _answer(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as failed:
        raise failed.cause from None
    except ray.exceptions.RayError as lost:
        said = str(lost).partition("\n")[0]
        message = f"the cluster lost the same work {LOST + 1} times: {said}; try again; finished runs are not repeated"
        raise Unavailable(message) from lost


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        message = "the engine ray is not installed; pip install 'mabos[cluster]', or use the engine local"
        raise Unavailable(message) from None
    return ray
