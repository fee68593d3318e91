"""A domain and a problem parsed from their texts."""

from collections.abc import Iterator, Mapping, Sequence

from bench.hddl.brackets import Element, Form, Source, Word
from bench.hddl.vocabulary import Phrases, Scope, Vocabulary
from mabos.mind.htn.model import (
    ANY,
    TRUE,
    And,
    Condition,
    Domain,
    Fact,
    Method,
    Network,
    Operator,
    PlanningProblem,
    State,
)

_PASSED_OVER = frozenset({":requirements", ":functions", ":metric", ":domain"})
_IN_ORDER = (":ordered-subtasks", ":ordered-tasks")
_SUBTASKS = (*_IN_ORDER, ":subtasks", ":tasks")
_ORDERS = (":ordering", ":order")
_NETWORK = (":parameters", *_SUBTASKS, *_ORDERS, ":constraints")
_BODIES = {
    ":task": (":parameters", ":precondition", ":effect"),
    ":action": (":parameters", ":precondition", ":effect"),
    ":method": (":task", ":precondition", ":effect", *_NETWORK),
}
Parts = Mapping[str, Form]


def read_domain(text: str, *, file: str = "domain.hddl") -> Domain:
    """Return the domain in `text`; errors name `file`."""
    return _domain(Source(text, file), Vocabulary())


def read_problem(
    domain: str, problem: str, *, files: tuple[str, str] = ("domain.hddl", "problem.hddl")
) -> PlanningProblem:
    """Return the problem in the second text, in the domain of the first."""
    words = Vocabulary()
    made = _domain(Source(domain, files[0]), words)
    source = Source(problem, files[1])
    phrases = Phrases(source, words)
    given, _ = _sections(source, "problem", (":objects", ":htn", ":init", ":goal", ":constraints"), ())
    words.objects |= _things(given.get(":objects"), phrases)
    if ":htn" not in given:
        raise source.fault(1, "the problem has no (:htn ...): it gives no task")
    parts = _parts(given[":htn"][1:], source, _NETWORK)
    scope = dict(phrases.variables(parts[":parameters"])) if ":parameters" in parts else {}
    network, constraint = _network(parts, phrases, scope)
    facts = list(_facts(given.get(":init", ()), phrases))
    goal = phrases.condition(given[":goal"][1], {}) if len(given.get(":goal", ())) > 1 else TRUE
    return PlanningProblem(made, State(facts, words.objects), network, goal, tuple(scope.items()), constraint)


def _domain(source: Source, words: Vocabulary) -> Domain:
    phrases = Phrases(source, words)
    given, many = _sections(source, "domain", (":types", ":constants", ":predicates"), tuple(_BODIES))
    _declare_types(given.get(":types"), phrases)
    words.objects |= _things(given.get(":constants"), phrases)
    for element in given.get(":predicates", Form(1))[1:]:
        predicate = phrases.form(element, "a predicate")
        words.predicates[phrases.word(predicate, 0, "a predicate")] = len(list(phrases.typed(predicate[1:])))
    bodies = [(form, *_body(form, phrases)) for form in many]
    for form, name, parts in bodies:
        if form[0] != ":method":
            if name in words.tasks:
                raise source.fault(form.line, f"{name!r} is declared twice")
            words.tasks[name] = phrases.variables(parts[":parameters"]) if ":parameters" in parts else ()
    operators = [_operator(name, parts, phrases) for form, name, parts in bodies if form[0] == ":action"]
    methods = [_method(form, name, parts, phrases) for form, name, parts in bodies if form[0] == ":method"]
    tasks = {name: words.tasks[name] for form, name, _ in bodies if form[0] == ":task"}
    return Domain(tuple(operators), tuple(methods), tasks, words.supertypes, dict(words.objects))


def _sections(
    source: Source, kind: str, once: Sequence[str], many: Sequence[str]
) -> tuple[dict[str, Form], list[Form]]:
    """Return the sections of a definition that come once, by their heads, and those of which there are many."""
    whole = source.form()
    head = whole[1] if len(whole) > 1 else None
    if whole[:1] != ["define"] or not isinstance(head, Form) or head[:1] != [kind]:
        raise source.fault(whole.line, f"expected (define ({kind} NAME) ...)")
    found: dict[str, Form] = {}
    bodies = []
    for section in whole[2:]:
        if isinstance(section, Word) or not section or not isinstance(section[0], Word):
            raise source.fault(section.line, "expected a section like (:task ...)")
        name = str(section[0])
        if name in many:
            bodies.append(section)
        elif name in found:
            raise source.fault(section.line, f"a second {name}")
        elif name in once:
            found[name] = section
        elif name not in _PASSED_OVER:
            raise source.fault(section.line, f"{name} is not supported")
    return found, bodies


def _body(form: Form, phrases: Phrases) -> tuple[str, dict[str, Form]]:
    """Return the name and the parts of a task, action or method."""
    name = phrases.word(form, 1, "a name")
    return str(name), _parts(form[2:], phrases.source, _BODIES[str(form[0])])


def _parts(elements: Sequence[Element], source: Source, known: Sequence[str]) -> dict[str, Form]:
    found: dict[str, Form] = {}
    rest = iter(elements)
    for key in rest:
        value = next(rest, None)
        if key not in known:
            raise source.fault(
                key.line, f"expected one of {', '.join(known)}" + (f", found {key}" * isinstance(key, Word))
            )
        if not isinstance(value, Form):
            raise source.fault(key.line, f"{key} must be followed by brackets")
        if str(key) in found:
            raise source.fault(key.line, f"a second {key}")
        found[str(key)] = value
    return found


def _declare_types(form: Form | None, phrases: Phrases) -> None:
    """Keep the types of a list like `truck van - vehicle vehicle - object`; one that is only a supertype counts too."""
    above = phrases.words.supertypes
    for names, parent in phrases.grouped(form[1:] if form else (), "the name of a type"):
        parents = parent[1:] if isinstance(parent, Form) else [] if parent is None else [parent]
        for name in (*parents, *names):
            above.setdefault(str(name), ())
        for name in names:
            above[str(name)] = (*above[str(name)], *(str(one) for one in parents if one != ANY))
    above.pop(ANY, None)


def _things(form: Form | None, phrases: Phrases) -> dict[str, str]:
    return {str(name): kind for name, kind in phrases.typed(form[1:] if form else (), things=True)}


def _operator(name: str, parts: Parts, phrases: Phrases) -> Operator:
    scope = dict(phrases.words.tasks[name])
    precondition = phrases.condition(parts.get(":precondition", Form(1)), scope)
    effect = parts.get(":effect", Form(1))
    return Operator(name, tuple(scope.items()), precondition, tuple(phrases.effects(effect, scope)), _cost(effect))


def _cost(effect: Form) -> float:
    """Return what the effects of an action add to the total cost, where it is a number."""
    for form in (effect, *effect):
        if isinstance(form, Form) and form[:1] == ["increase"] and len(form) == 3 and isinstance(form[2], Word):
            return float(form[2]) if form[2].replace(".", "", 1).isdigit() else 0.0
    return 0.0


def _method(form: Form, name: str, parts: Parts, phrases: Phrases) -> Method:
    scope = dict(phrases.variables(parts[":parameters"])) if ":parameters" in parts else {}
    if ":task" not in parts:
        raise phrases.source.fault(form.line, f"the method {name!r} names no task")
    if parts.get(":effect"):
        raise phrases.source.fault(parts[":effect"].line, "effects of methods are not supported")
    task = phrases.call(parts[":task"], scope)
    network, constraint = _network(parts, phrases, scope)
    precondition = phrases.condition(parts.get(":precondition", Form(1)), scope)
    needs = And((precondition, constraint)) if constraint != TRUE else precondition
    return Method(name, task, network, needs, tuple(scope.items()))


def _network(parts: Parts, phrases: Phrases, scope: Scope) -> tuple[Network, Condition]:
    """Return the tasks with their order, and what must hold of the variables."""
    keys = [key for key in _SUBTASKS if key in parts]
    if len(keys) > 1:
        raise phrases.source.fault(parts[keys[1]].line, f"both {keys[0]} and {keys[1]}; give one")
    names: dict[str, int] = {}
    calls: list[Fact] = []
    for element in _listed(parts.get(keys[0], Form(1)) if keys else Form(1)):
        form = phrases.form(element, "a task")
        if len(form) == 2 and isinstance(form[0], Word) and isinstance(form[1], Form):
            names[str(form[0])] = len(calls)
            form = form[1]
        calls.append(phrases.call(form, scope))
    before = [(place, place + 1) for place in range(len(calls) - 1)] if keys and keys[0] in _IN_ORDER else []
    for key in _ORDERS:
        before += [_pair(element, names, phrases) for element in _listed(parts.get(key, Form(1)))]
    constraint = phrases.condition(parts.get(":constraints", Form(1)), scope)
    return Network(tuple(calls), tuple(before)), constraint


def _listed(form: Form) -> Sequence[Element]:
    """Return the parts of `(and ...)`, or the one thing that stands without."""
    if not form:
        return ()
    return form[1:] if form[0] == "and" else (form,)


def _pair(element: Element, names: Mapping[str, int], phrases: Phrases) -> tuple[int, int]:
    form = phrases.form(element, "an order like (< t1 t2)")
    if len(form) != 3 or form[0] != "<":
        raise phrases.source.fault(form.line, "expected an order like (< t1 t2)")
    for name in form[1:]:
        if not isinstance(name, Word) or name not in names:
            raise phrases.source.fault(form.line, f"no task is named {name!s} here; found {', '.join(names) or 'none'}")
    return names[str(form[1])], names[str(form[2])]


def _facts(form: Sequence[Element], phrases: Phrases) -> Iterator[Fact]:
    """Yield the facts that hold in the beginning; what says the value of a function is passed over."""
    for element in form[1:]:
        fact = phrases.form(element, "a fact")
        if fact[:1] == ["="]:
            continue
        if fact[:1] == ["not"]:  # what is not said does not hold anyway
            continue
        yield phrases.fact(fact, {})
