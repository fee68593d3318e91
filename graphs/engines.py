"""Where the runs of a batch are worked off: one after the other, on processes of this machine, or on a Ray cluster.

    for place, result in performed(work, orders, jobs=2, engine="local"):
        ...                              # in the order in which they end; `place` says which order it was

Each run has its own folder and its own workspace, so an engine only decides who works, never what comes of it.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, Literal, TypeVar, get_args

from configs.errors import InvalidArgument, Unavailable
from configs.settings import environment

Engine = Literal["local", "ray"]
ENGINES: tuple[str, ...] = get_args(Engine)

Order = TypeVar("Order")
Answer = TypeVar("Answer")


def performed(
    work: Callable[[Order], Answer], orders: Sequence[Order], *, jobs: int, engine: Engine = "local"
) -> Iterator[tuple[int, Answer]]:
    """Yield what `work` makes of each order and its place, as they end; `jobs` at a time.

    `work` must be a function of a module, and orders and answers must pickle. Raises `Unavailable` where the engine is
    not installed; an error of `work` is raised as it is.
    """
    if engine not in ENGINES:
        raise InvalidArgument(f"engine {engine!r} is not known; use one of {', '.join(ENGINES)}", argument="engine")
    return _on_ray(work, orders, jobs) if engine == "ray" else _here(work, orders, jobs)


def _here(work: Callable[[Order], Answer], orders: Sequence[Order], jobs: int) -> Iterator[tuple[int, Answer]]:
    if jobs == 1:
        yield from ((place, work(order)) for place, order in enumerate(orders))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        going = {pool.submit(work, order): place for place, order in enumerate(orders)}
        for one in as_completed(going):
            yield going[one], one.result()


def _on_ray(work: Callable[[Order], Answer], orders: Sequence[Order], jobs: int) -> Iterator[tuple[int, Answer]]:
    """Hand `jobs` orders at a time to the cluster that the environment names, else to one that lives as long as this.

    Folders of runs must be shared by all machines of a cluster: an order says where its files go.
    """
    ray = _ray()
    founded = not ray.is_initialized()
    if founded:
        named = environment().variables.get("RAY_ADDRESS", "")
        where = {"address": named} if named else {"address": "local", "num_cpus": jobs, "include_dashboard": False}
        ray.init(**where, log_to_driver=False, logging_level="ERROR")
    try:
        performing = ray.remote(max_retries=0)(work)
        left, going = list(enumerate(orders))[::-1], dict[Any, int]()
        while left or going:
            while left and len(going) < jobs:
                place, order = left.pop()
                going[performing.remote(order)] = place
            ended, _ = ray.wait(list(going), num_returns=1)
            for one in ended:
                yield going.pop(one), _answer(ray, one)
    finally:
        if founded:
            ray.shutdown()


def _answer(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as failed:
        raise failed.cause from None


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        message = "the engine ray is not installed; pip install 'mabos[cluster]', or use the engine local"
        raise Unavailable(message) from None
    return ray
