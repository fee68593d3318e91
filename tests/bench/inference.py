"""What inference costs, beside the printed algorithm and its peers: `python -m tests.bench.inference`.

CPU seconds of this process; what must hold everywhere is the column of ratios, ours to theirs. clingo, clipspy and
owlrl are asked only where they can be imported. clingo and owlrl keep no confidence and no witness; ours always does.
"""

import argparse
import gc
import statistics
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from knowledge.facts import Facts, open_facts, statement
from knowledge.inference.forward import Inference
from knowledge.inference.reasoner import Reasoner
from knowledge.inference.relations import Stated, Triple
from knowledge.matching import is_variable
from knowledge.model import Condition, Rule
from knowledge.rule_text import write_rules
from knowledge.rules import Rules, open_rules
from knowledge.values import compare
from tests.knowledge.loads import DOMAINS, RANGES, SUBCLASSES, SUBPROPERTIES, Load, Triples, business, university
from workspace.clock import SteppedClock
from workspace.ids import Ids
from workspace.sync import Sync

Answer = tuple[float, int]
"""CPU seconds, and how many triples hold then."""


def timed(action: Callable[[], int]) -> Answer:
    """Return what `action` costs and returns."""
    started = process_time()
    size = action()
    return process_time() - started, size


def ours(load: Load) -> Reasoner:
    """Return a reasoner that holds all that follows."""
    reasoner = Reasoner(load.rules, max_derived=10**7)
    assert reasoner.change({triple: Stated(sure) for triple, sure in load.facts.items()}).converged
    return reasoner


def best(load: Load, times: int = 3) -> Answer:
    """Return the best of a few runs of ours."""
    return min(timed(lambda: ours(load).size) for _ in range(times))


def printed(load: Load) -> int:
    """Run the algorithm that S0 section 22 prints, word for word."""
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
    """Ground the rules with clingo, in its better of two encodings: one relation a predicate."""
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


def against(name: str, peer: Callable[[Load], int], load: Load, target: str, *, module: str = "") -> None:
    """Print one row: ours, a peer's where it is installed, and the ratio."""
    seconds, size = best(load)
    if find_spec(module or name) is None:
        print(f"{load.name:32} {name:22} {seconds:8.2f} {'not installed':>12} {'':>9} {target:>9} {size:9,}")
        return
    theirs, their_size = timed(lambda: peer(load))
    note = "" if their_size == size else f"  ({their_size:,} there)"
    print(f"{load.name:32} {name:22} {seconds:8.2f} {theirs:12.2f} {seconds / theirs:9.4f} {target:>9} {size:9,}{note}")


def retraction(load: Load, trials: int) -> None:
    """Print what taking one fact back, and stating it again, costs beside deriving everything anew.

    The last row is the fact on which most rests: what it costs is what follows from it.
    """
    whole, _ = best(load)
    reasoner, random = ours(load), Random(3)
    gc.collect()
    changes = [_there_and_back(reasoner, triple) for triple in random.sample(list(load.facts), trials)]
    for name, times in zip(("take one fact back", "state one fact"), list(zip(*changes, strict=True))[:2], strict=True):
        median, worst = statistics.median(times), max(times)
        print(
            f"{load.name:32} {name:22} {median * 1e6:5.0f} us median, {worst * 1e3:.2f} ms worst of {trials};", end=" "
        )
        print(f"anew {whole:.2f} s: {whole / median:,.0f} times the median, {whole / worst:,.0f} times the worst")
    taken, _, size = _there_and_back(reasoner, max(load.facts, key=lambda triple: _resting(reasoner, triple)))
    print(f"{load.name:32} {'the most that can go':22} {taken * 1e3:5.1f} ms for {size:,} facts", end="; ")
    print(f"anew {whole / taken:,.0f} times that")


def _there_and_back(reasoner: Reasoner, triple: Triple) -> tuple[float, float, int]:
    """Return what taking a fact back costs, what stating it again does, and how many facts change."""
    before = reasoner.stated[triple]
    reasoner.touched.clear()
    taken, _ = timed(lambda: int(reasoner.change({triple: None}).converged))
    size = len(reasoner.touched)
    stated, _ = timed(lambda: int(reasoner.change({triple: before}).converged))
    return taken, stated, size


def _resting(reasoner: Reasoner, triple: Triple) -> int:
    """Return how many facts are held because of one."""
    waiting = [held for held in [reasoner.find(triple)] if held is not None]
    found = {held.triple for held in waiting}
    while waiting:
        held = waiting.pop()
        resting = [one for one in held.dependents if one.triple not in found and one.rests_on(held)]
        found.update(one.triple for one in resting)
        waiting += resting
    return len(found)


def on_record(load: Load, trials: int) -> None:
    """Print what a retraction costs where derived facts are on record: document, journal and all."""
    clock = SteppedClock(datetime(2026, 1, 5, tzinfo=UTC))
    with TemporaryDirectory() as folder:
        ids, sync = Ids(clock, "bench"), Sync("off")
        facts = Facts("cfo", open_facts(Path(folder), sync=sync), clock, ids)
        rules = Rules("cfo", open_rules(Path(folder), sync=sync), clock, ids)
        (Path(folder) / "rules").mkdir()
        (Path(folder) / "rules" / "some.rules").write_text(write_rules(load.rules))
        said = facts.assert_all(statement(*triple, confidence=sure) for triple, sure in load.facts.items())
        inference = Inference(facts, rules, max_derived=10**7)
        whole = timed(lambda: len(inference.forward(persist=True).new))
        times = [
            timed(lambda fact=fact: len(inference.retract(fact.id).facts))[0]  # type: ignore[misc]  # bound here
            for fact in Random(3).sample(said, trials)
        ]
    median = statistics.median(times)
    print(
        f"{load.name:32} {'take back, on record':22} {median * 1e6:5.0f} us median; {whole[1]:,} derived and written",
        end=" ",
    )
    print(f"in {whole[0]:.2f} s: {whole[0] / median:,.0f} times the median")


def equality(load: Load, trials: int) -> None:
    """Print in how many random changes the maintained facts are those of a new start."""
    reasoner, random, facts = ours(load), Random(5), dict(load.facts)
    equal = 0
    for trial in range(trials):
        triple = random.choice(list(facts))
        sure = facts.pop(triple)
        reasoner.change({triple: None})
        if trial % 2:
            facts[triple] = sure / 2
            reasoner.change({triple: Stated(sure / 2)})
        anew = ours(Load("", facts, load.rules))
        kept, expected = _held(reasoner), _held(anew)
        equal += kept.keys() == expected.keys() and all(abs(kept[one] - expected[one]) < 1e-9 for one in kept)
    print(f"{load.name:32} equal to a new start in {equal} of {trials} random changes")


def _held(reasoner: Reasoner) -> Triples:
    return {held.triple: held.confidence for held in reasoner.held()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    tenth = 10 if parser.parse_args().quick else 1
    print(f"{'load':32} {'beside':22} {'ours s':>8} {'theirs s':>12} {'ratio':>9} {'target':>9} {'facts':>9}")
    against("printed algorithm", printed, business(4_000 // tenth), "0.0100", module="json")
    against("clingo, no confidence", in_clingo, university(100_000 // tenth), "1.5000", module="clingo")
    against("clipspy, confidence", in_clips, business(100_000 // tenth), "0.4000", module="clips")
    against("owlrl, no confidence", in_owlrl, university(10_000 // tenth), "0.1000", module="owlrl")
    small, large = best(university(10_000 // tenth))[0], best(university(100_000 // tenth))[0]
    print(f"ten times the facts cost {large / small:.1f} times the time")
    retraction(university(100_000 // tenth, sure=False, factor=0.9), 200)
    retraction(business(100_000 // tenth), 200)
    on_record(business(20_000 // tenth), 50)
    equality(business(1_000), 200 // tenth)


if __name__ == "__main__":
    main()
