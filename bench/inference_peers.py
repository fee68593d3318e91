"""Other inference engines on the same facts and rules: the algorithm of S0 section 22, clingo, CLIPS, owlrl.

Each returns the number of resulting triples. clingo and owlrl keep no confidence; CLIPS is given one here.
"""

from importlib import import_module
from typing import Any

from bench.inference_loads import DOMAINS, RANGES, SUBCLASSES, SUBPROPERTIES, Load
from mabos.knowledge.model import Condition, Rule, is_variable
from mabos.knowledge.values import compare


def as_printed(load: Load) -> int:
    """Run the algorithm of S0 section 22 literally."""
    facts = [(*triple, sure) for triple, sure in load.facts.items()]
    known = set(load.facts)
    derived = True
    while derived:
        derived = False
        everything = list(facts)
        for rule in load.rules:
            assert rule.conclusion is not None
            for bindings in _bindings(rule, everything):
                ends = [bindings.get(term, term) for term in (rule.conclusion.subject, rule.conclusion.object)]
                triple = (ends[0], rule.conclusion.predicate, ends[1])
                if triple not in known:
                    supports = [_support(one, everything, bindings) for one in rule.conditions]
                    facts.append((*triple, min(supports) * rule.confidence_factor))
                    known.add(triple)
                    derived = True
    return len(facts)


def _bindings(rule: Rule, facts: list[Any]) -> list[dict[str, str]]:
    ways: list[dict[str, str]] = [{}]
    for condition in rule.conditions:
        ways = [found for way in ways for fact in facts if (found := _bound(condition, fact, way)) is not None]
    return ways


def _bound(condition: Condition, fact: Any, way: dict[str, str]) -> dict[str, str] | None:
    if fact[1] != condition.predicate:
        return None
    found = way
    for term, value in ((condition.subject, fact[0]), (condition.object, fact[2])):
        if is_variable(term):
            if found.get(term, value) != value:
                return None
            found = {**found, term: value}
        elif condition.operator != "eq" and term is condition.object:
            if not compare(condition.operator, value, term):
                return None
        elif term not in ("", value):
            return None
    return found


def _support(condition: Condition, facts: list[Any], way: dict[str, str]) -> float:
    return next(float(fact[3]) for fact in facts if _bound(condition, fact, way) is not None)


def in_clingo(load: Load) -> int:
    """Ground the rules with clingo, in the better of two encodings: one relation per predicate."""
    clingo: Any = import_module("clingo")

    def term(text: str) -> str:
        return text[1:].upper() if is_variable(text) else f'"{text}"' if text else "_"

    def atom(one: Condition) -> str:
        return f"p_{one.predicate}({term(one.subject)},{term(one.object)})"

    facts = [f'p_{p}("{s}","{o}").' for s, p, o in load.facts]
    rules = [
        f"{atom(rule.conclusion)} :- {', '.join(map(atom, rule.conditions))}." for rule in load.rules if rule.conclusion
    ]
    control = clingo.Control(["--warn=none"])
    control.add("base", [], "\n".join(facts + rules))
    control.ground([("base", [])])
    return sum(1 for atom in control.symbolic_atoms if atom.is_fact)


def in_clips(load: Load) -> int:
    """Run the rules in CLIPS, with a rule of higher salience that retracts the less certain of two."""
    clips: Any = import_module("clips")

    def value(text: str) -> str:
        return text if text.isdecimal() else f'"{text}"'

    def pattern(one: Condition, number: int) -> str:
        object_ = value(one.object) if one.object and not is_variable(one.object) else one.object or "?"
        if one.operator == "gt":
            object_ = f"?v{number}&:(> ?v{number} {one.object})"
        subject = one.subject if is_variable(one.subject) else f'"{one.subject}"'
        return f"(t (s {subject}) (p {one.predicate}) (o {object_}) (c ?c{number}))"

    environment = clips.Environment()
    environment.build("(deftemplate t (slot s) (slot p) (slot o) (slot c))")
    environment.build(
        "(defrule worse (declare (salience 10)) (t (s ?s) (p ?p) (o ?o) (c ?a))"
        " ?w <- (t (s ?s) (p ?p) (o ?o) (c ?b&:(< ?b ?a))) => (retract ?w))"
    )
    for rule in load.rules:
        assert rule.conclusion is not None
        body = " ".join(pattern(one, number) for number, one in enumerate(rule.conditions))
        least = " ".join(f"?c{number}" for number in range(len(rule.conditions)))
        least = f"(min {least})" if len(rule.conditions) > 1 else least
        ends = [end if is_variable(end) else value(end) for end in (rule.conclusion.subject, rule.conclusion.object)]
        head = (
            f"(t (s {ends[0]}) (p {rule.conclusion.predicate}) (o {ends[1]}) (c (* {least} {rule.confidence_factor})))"
        )
        environment.build(f"(defrule {rule.id} {body} => (assert {head}))")
    environment.load_facts(
        "\n".join(f'(t (s "{s}") (p {p}) (o {value(o)}) (c {sure}))' for (s, p, o), sure in load.facts.items())
    )
    environment.run()
    return len({(str(fact["s"]), str(fact["p"]), str(fact["o"])) for fact in environment.facts()})


def in_owlrl(load: Load) -> int:
    """Close the triples and the class and property axioms under OWL RL."""
    owlrl, rdf = import_module("owlrl"), import_module("rdflib")
    space, graph = rdf.Namespace("http://example.org/"), rdf.Graph()
    names = {"type": rdf.RDF.type}
    for s, p, o in load.facts:
        graph.add((space[s], names.get(p, space[p]), space[o]))
    axioms = ((SUBCLASSES, rdf.RDFS.subClassOf), (SUBPROPERTIES, rdf.RDFS.subPropertyOf), (DOMAINS, rdf.RDFS.domain),
              (RANGES, rdf.RDFS.range))  # fmt: skip
    for text, relation in axioms:
        for entry in text.split(";"):
            one, other = entry.split()
            graph.add((space[one], relation, space[other]))
    graph.add((space.degreeFrom, rdf.OWL.inverseOf, space.hasAlumnus))
    graph.add((space.memberOf, rdf.OWL.inverseOf, space.member))
    graph.add((space.subOrganizationOf, rdf.RDF.type, rdf.OWL.TransitiveProperty))
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    return len(graph)
