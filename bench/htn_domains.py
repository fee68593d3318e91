"""Three domains for measuring the planner: a binary tree, a search with dead ends, and parcel delivery."""

from mabos.mind.htn import And, Assign, Domain, Method, Not, Operator, PlanningProblem, State, sequence


def tree(leaves: int) -> PlanningProblem:
    """Return the problem of touching every leaf of a binary tree, in order."""
    facts: list[tuple[object, ...]] = [("parts", node, 2 * node, 2 * node + 1) for node in range(1, leaves)]
    facts += [("leaf", node) for node in range(leaves, 2 * leaves)]
    touch = Operator("touch", (("?node", "object"),), effects=(Assign("touched", "{node}"),))
    methods = (
        Method("inner", ("visit", "?node"), sequence(("visit", "?l"), ("visit", "?r")), ("parts", "?node", "?l", "?r")),
        Method("leaf", ("visit", "?node"), ("touch", "?node"), ("leaf", "?node")),
    )
    return PlanningProblem(Domain((touch,), methods), State(facts), ("visit", 1))


def dead_ends(count: int) -> PlanningProblem:
    """Return the problem of opening the only box with content among many; every other one is tried first."""
    boxes = [("box", number) for number in range(count)]
    opening = Operator("open", (("?box", "object"),), effects=(("open", "?box"),))
    check = Operator("check", precondition=("open", count - 1))
    find = Method("any", ("find",), sequence(("open", "?box"), ("check",)), ("box", "?box"))
    return PlanningProblem(Domain((opening, check), (find,)), State(boxes), ("find",))


def transport(parcels: int, places: int) -> PlanningProblem:
    """Return the problem of carrying parcels with one van, each to the place after next."""
    road = [("road", a, b) for a in range(places) for b in range(places) if a != b]
    at = [("at", f"x{number}", number % places) for number in range(parcels)] + [("at", "van", 0)]
    names = [(f"?{letter}", "object") for letter in "xpq"]
    there = And((("at", "?x", "?p"), ("at", "van", "?p")))
    driving = And((("at", "van", "?p"), ("road", "?p", "?q")))
    operators = (
        Operator("drive", tuple(names[1:]), driving, (Not(("at", "van", "?p")), ("at", "van", "?q"))),
        Operator("load", tuple(names[:2]), there, (Not(("at", "?x", "?p")), ("in", "?x"))),
        Operator(
            "unload",
            tuple(names[:2]),
            And((("in", "?x"), ("at", "van", "?p"))),
            (Not(("in", "?x")), ("at", "?x", "?p")),
        ),
    )
    steps = sequence(("go", "?p"), ("load", "?x", "?p"), ("go", "?q"), ("unload", "?x", "?q"))
    methods = (
        Method("there", ("deliver", "?x", "?q"), sequence(), ("at", "?x", "?q")),
        Method("carry", ("deliver", "?x", "?q"), steps, ("at", "?x", "?p")),
        Method("stay", ("go", "?q"), sequence(), ("at", "van", "?q")),
        Method("drive there", ("go", "?q"), ("drive", "?p", "?q"), ("at", "van", "?p")),
    )
    tasks = [("deliver", f"x{number}", (number + 2) % places) for number in range(parcels)]
    return PlanningProblem(Domain(operators, methods), State(road + at), sequence(*tasks))
