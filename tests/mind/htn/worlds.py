"""Small problems in domains of our own, made by hypothesis."""

from itertools import pairwise
from pathlib import Path

from hypothesis import strategies as st

from bench.hddl import read_problem
from mabos.mind.htn import PlanningProblem

DOMAINS = Path(__file__).parent / "domains"
SHARED = Path(__file__).parents[4] / "shared" / "data" / "htn"


def problem(
    domain: str, objects: str, tasks: str, facts: str, *, key: str = ":ordered-subtasks", goal: str = ""
) -> PlanningProblem:
    """Return a problem in one of our domains."""
    text = f"""(define (problem p) (:domain {domain}) (:objects {objects})
      (:htn {key} (and {tasks})) (:init {facts}) (:goal (and {goal})))"""
    return read_problem((DOMAINS / f"{domain}.hddl").read_text("utf-8"), text)


@st.composite
def blocks(draw: st.DrawFn, most: int = 4) -> PlanningProblem:
    """Make towers, and one to build, from its lowest block up."""
    names = [f"b{number}" for number in range(draw(st.integers(2, most)))]
    order = draw(st.permutations(names))
    facts = ["(free)"]
    towers: list[list[str]] = []
    for name in order:
        place = draw(st.integers(0, len(towers)))
        if place == len(towers):
            towers.append([])
            facts.append(f"(table {name})")
        else:
            facts.append(f"(on {name} {towers[place][-1]})")
        towers[place].append(name)
    facts += [f"(clear {tower[-1]})" for tower in towers]
    wanted = draw(st.permutations(names))[: draw(st.integers(2, len(names)))]
    tasks = [f"(build {upper} {lower})" for lower, upper in pairwise(wanted)]
    goal = " ".join(task.replace("build", "on") for task in tasks)
    bottom = [f"(uncover {wanted[0]})"]
    return problem("blocks", f"{' '.join(names)} - block", " ".join(bottom + tasks), " ".join(facts), goal=goal)


@st.composite
def transport(draw: st.DrawFn, most: int = 4) -> PlanningProblem:
    """Make a map that may fall apart, vans and parcels, to be delivered in order or side by side."""
    places = [f"p{number}" for number in range(draw(st.integers(2, most)))]
    at = st.sampled_from(places)
    roads = draw(st.sets(st.tuples(at, at), max_size=2 * most))
    vans = [f"v{number}" for number in range(draw(st.integers(1, 2)))]
    parcels = [f"x{number}" for number in range(draw(st.integers(1, 2)))]
    facts = [f"(road {a} {b})" for a, b in sorted(roads)]
    facts += [f"(at {thing} {draw(at)})" for thing in vans + parcels]
    tasks = " ".join(f"(deliver {parcel} {draw(at)})" for parcel in parcels)
    key = draw(st.sampled_from([":subtasks", ":ordered-subtasks"]))
    objects = f"{' '.join(places)} - place {' '.join(vans)} - van {' '.join(parcels)} - parcel"
    return problem("transport", objects, tasks, " ".join(facts), key=key)


@st.composite
def workshop(draw: st.DrawFn) -> PlanningProblem:
    """Make machines, some of which paint or are dirty, and parts to make side by side."""
    machines = [f"m{number}" for number in range(draw(st.integers(1, 2)))]
    parts = ["lamp", *(f"x{number}" for number in range(draw(st.integers(0, 1))))]
    facts = [
        f"({name} {machine})" for machine in machines for name in ("idle", "can-paint", "dirty") if draw(st.booleans())
    ]
    objects = f"{' '.join(machines)} - machine {' '.join(parts[1:])} - part"
    tasks = " ".join(f"(make {part})" for part in parts)
    return problem("workshop", objects, tasks, " ".join(facts), key=":subtasks")


problems = st.one_of(blocks(), transport(), workshop())
