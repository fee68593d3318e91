"""The domains of `htn_domains` for GTPyhop, run by a Python that has it: `python htn_gtpyhop.py STRATEGY TIMES`.

Prints one line of JSON per problem: the length of the plan and the CPU seconds of each run. Constants are kept outside
the state, because GTPyhop copies its state at every action.
"""

import gc
import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from time import process_time
from typing import Any

gtpyhop: Any = import_module("gtpyhop") if find_spec("gtpyhop") else None


def tree(leaves: int) -> tuple[Any, list[Any]]:
    """Return the state and the tasks."""
    parts = {node: (2 * node, 2 * node + 1) for node in range(1, leaves)}

    def touch(state: Any, node: int) -> Any:
        state.touched = node
        return state

    def inner(state: Any, node: int) -> Any:
        return [("visit", node) for node in parts[node]] if node in parts else None

    def leaf(state: Any, node: int) -> Any:
        return None if node in parts else [("touch", node)]

    _declare([touch], {"visit": [inner, leaf]})
    return gtpyhop.State("tree", touched=0), [("visit", 1)]


def dead_ends(count: int) -> tuple[Any, list[Any]]:
    """Return the state and the tasks, with one method per box, as there are no bindings."""

    def opening(state: Any, box: int) -> Any:
        state.open = box
        return state

    def check(state: Any) -> Any:
        return state if state.open == count - 1 else None

    def trying(box: int) -> Callable[[Any], Any]:
        return lambda _: [("opening", box), ("check",)]

    _declare([opening, check], {"find": [trying(box) for box in range(count)]})
    return gtpyhop.State("dead ends", open=-1), [("find",)]


def transport(parcels: int, places: int) -> tuple[Any, list[Any]]:
    """Return the state and the tasks."""
    roads = {(a, b) for a in range(places) for b in range(places) if a != b}

    def drive(state: Any, start: int, end: int) -> Any:
        if state.at["van"] != start or (start, end) not in roads:
            return None
        state.at["van"] = end
        return state

    def load(state: Any, parcel: str, place: int) -> Any:
        if state.at[parcel] != place or state.at["van"] != place:
            return None
        state.at[parcel] = "van"
        return state

    def unload(state: Any, parcel: str, place: int) -> Any:
        if state.at[parcel] != "van" or state.at["van"] != place:
            return None
        state.at[parcel] = place
        return state

    def there(state: Any, parcel: str, place: int) -> Any:
        return [] if state.at[parcel] == place else None

    def carry(state: Any, parcel: str, place: int) -> Any:
        start = state.at[parcel]
        return [("go", start), ("load", parcel, start), ("go", place), ("unload", parcel, place)]

    def stay(state: Any, place: int) -> Any:
        return [] if state.at["van"] == place else None

    def drive_there(state: Any, place: int) -> Any:
        return [("drive", state.at["van"], place)]

    _declare([drive, load, unload], {"deliver": [there, carry], "go": [stay, drive_there]})
    at = {f"x{number}": number % places for number in range(parcels)} | {"van": 0}
    tasks = [("deliver", f"x{number}", (number + 2) % places) for number in range(parcels)]
    return gtpyhop.State("transport", at=at), tasks


def _declare(actions: list[Callable[..., Any]], methods: dict[str, list[Callable[..., Any]]]) -> None:
    gtpyhop.set_current_domain(gtpyhop.Domain("bench"))
    gtpyhop.declare_actions(*actions)
    for task, ways in methods.items():
        gtpyhop.declare_task_methods(task, *ways)


PROBLEMS: dict[str, tuple[Any, ...]] = {
    "tree, 64 leaves": (tree, 64),
    "tree, 512 leaves": (tree, 512),
    "tree, 2000 leaves": (tree, 2000),
    "200 dead ends": (dead_ends, 200),
    "50 parcels": (transport, 50, 10),
}


def main() -> None:
    """Run every problem with the named strategy."""
    if gtpyhop is None or len(sys.argv) < 3:
        print("run by bench.htn, in an environment that has GTPyhop")
        return
    sys.setrecursionlimit(100_000)
    gc.disable()
    gtpyhop.set_verbose_level(0)
    gtpyhop.set_recursive_planning(sys.argv[1])
    for name, (made, *sizes) in PROBLEMS.items():
        state, tasks = made(*sizes)
        spent = []
        for _ in range(int(sys.argv[2])):
            start = process_time()
            plan = gtpyhop.find_plan(state, tasks)
            spent.append(process_time() - start)
        print(json.dumps({"name": name, "steps": len(plan or ()), "seconds": spent}))


if __name__ == "__main__":
    main()
