"""The cost of inference, compared with the documents' algorithm and other engines: `python -m bench.inference`.

CPU seconds of this process; the ratios of ours to theirs must hold on any machine. clingo, clipspy and owlrl are
included only if installed. clingo and owlrl keep no confidence and no witness; ours always does.
"""

import gc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time

from bench.inference_loads import Load, Triples, business, university
from bench.inference_peers import as_printed, in_clingo, in_clips, in_owlrl
from bench.measured import Line, exactly, middle, missing
from bench.printed import printed
from mabos.knowledge.facts import Facts, open_facts, statement
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.inference.reasoner import Reasoner
from mabos.knowledge.inference.relations import StatedTriple, Triple
from mabos.knowledge.rules import Rules, open_rules
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync
from tests.knowledge.knowing import assert_all
from tests.knowledge.written_rules import write_rules

RETRACTION, GROWTH = 1_000.0, 1.5
MOST_KNOWN = 40.0
"""The limit for retracting the fact on which most rests: all its consequences must be retracted, by any engine."""
Answer = tuple[float, int]
"""CPU seconds, and how many triples hold then."""


def timed(action: Callable[[], int]) -> Answer:
    """Return the cost and the result of `action`."""
    started = process_time()
    size = action()
    return process_time() - started, size


def ours(load: Load) -> Reasoner:
    """Return a reasoner with everything that follows."""
    reasoner = Reasoner(load.rules, max_derived=10**7)
    assert reasoner.change({triple: StatedTriple(sure) for triple, sure in load.facts.items()}).converged
    return reasoner


def best(load: Load, times: int = 3) -> Answer:
    """Return the best of a few runs of ours."""
    return min(timed(lambda: ours(load).size) for _ in range(times))


def against(load: Load, peer: Callable[[Load], int], beside: str, most: float, *, module: str = "") -> Line:
    """Return the ratio of our time to a peer's, if installed."""
    seconds, size = best(load)
    name = f"all that follows from {len(load.facts):,} facts"
    if module and find_spec(module) is None:
        return missing(name, module)
    theirs, their_size = timed(lambda: peer(load))
    note = f"{seconds:.2f} and {theirs:.2f} s; {size:,} facts"
    note += "" if their_size == size else f", {their_size:,} there"
    return Line(name, exactly(seconds / theirs), most=most, unit="x", beside=beside, note=note)


def retraction(load: Load, trials: int, what: str) -> Iterator[Line]:
    """Yield the speedup of retracting and restating one fact over deriving everything again.

    The last line is the fact with most consequences, which determine its cost.
    """
    whole, _ = best(load)
    reasoner, random = ours(load), Random(3)
    gc.collect()
    changes = [_there_and_back(reasoner, triple) for triple in random.sample(list(load.facts), trials)]
    taken, stated = (middle(one) for one in list(zip(*changes, strict=True))[:2])
    worst = max(one for one, *_ in changes)
    name = f"taking one of {len(load.facts):,} facts back, {what}"

    def faster(said: str, seconds: float, note: str = "", known: float | None = None) -> Line:
        spent, told = exactly(whole / seconds), f"{seconds * 1e3:.3g} ms{note}"
        return Line(
            f"{name}: {said}", spent, least=RETRACTION, unit="x", beside="starting anew", note=told, known=known
        )

    yield faster(f"times faster, median of {trials}", taken.median)
    yield faster(f"times faster, the worst of {trials}", worst)
    yield faster("stated again, times faster", stated.median)
    most, _, size = _there_and_back(reasoner, max(load.facts, key=lambda triple: _resting(reasoner, triple)))
    yield faster("times faster, the fact that most rests on", most, f" for {size:,} facts", MOST_KNOWN)


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


def on_record(load: Load, trials: int) -> Line:
    """Return the cost of a retraction with recorded derived facts, including document and journal."""
    clock = SteppedClock(datetime(2026, 1, 5, tzinfo=UTC))
    with TemporaryDirectory() as folder:
        ids, sync = Ids(clock, "bench"), Sync("off")
        facts = Facts("cfo", open_facts(Path(folder), sync=sync), clock, ids)
        rules = Rules("cfo", open_rules(Path(folder), sync=sync), clock, ids)
        (Path(folder) / "rules").mkdir()
        (Path(folder) / "rules" / "some.rules").write_text(write_rules(load.rules))
        said = assert_all(facts, (statement(*triple, confidence=sure) for triple, sure in load.facts.items()))
        inference = Inference(facts, rules, max_derived=10**7)
        whole = timed(lambda: len(inference.forward(persist=True).new))
        times = [
            timed(lambda fact=fact: len(inference.retract(fact.id).facts))[0]  # type: ignore[misc]  # bound here
            for fact in Random(3).sample(said, trials)
        ]
    spent = middle(times)
    note = f"{spent.median * 1e3:.2f} ms; {whole[1]:,} derived and written in {whole[0]:.2f} s"
    return Line(
        f"taking one of {len(load.facts):,} facts back where derived ones are on record: times faster",
        exactly(whole[0] / spent.median),
        unit="x",
        beside="starting anew",
        note=note,
    )


def equality(load: Load, trials: int) -> Line:
    """Return after how many random changes the maintained facts equal those of a fresh start."""
    reasoner, random, facts = ours(load), Random(5), dict(load.facts)
    equal = 0
    for trial in range(trials):
        triple = random.choice(list(facts))
        sure = facts.pop(triple)
        reasoner.change({triple: None})
        if trial % 2:
            facts[triple] = sure / 2
            reasoner.change({triple: StatedTriple(sure / 2)})
        anew = ours(Load("", facts, load.rules))
        kept, expected = _held(reasoner), _held(anew)
        equal += kept.keys() == expected.keys() and all(abs(kept[one] - expected[one]) < 1e-9 for one in kept)
    return Line(f"of {trials} random changes, equal to a new start", exactly(equal), least=trials, unit="")


def _held(reasoner: Reasoner) -> Triples:
    return {held.triple: held.confidence for held in reasoner.held()}


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of inference compared with others, and of retraction compared with starting again."""
    plain, many, some = 4_000 // scale, 100_000 // scale, 10_000 // scale
    yield against(business(plain), as_printed, "the algorithm of S0 section 22", 0.01)
    yield against(university(many), in_clingo, "clingo, without confidence", 1.5, module="clingo")
    yield against(business(many), in_clips, "clipspy, with confidence", 0.4, module="clips")
    yield against(university(some), in_owlrl, "owlrl, without confidence", 0.1, module="owlrl")
    small, large = best(university(some)), best(university(many))
    each = exactly(large[0] / many * some / small[0])
    yield Line(
        f"a fact of {many:,}", each, most=GROWTH, unit="x", beside=f"one of {some:,}", note="with all that follows"
    )
    trials = max(2, 200 // scale)
    yield from retraction(university(many, sure=False, factor=0.9), trials, "a university")
    yield from retraction(business(many), trials, "a business")
    yield on_record(business(20_000 // scale), max(2, 50 // scale))
    yield equality(business(1_000 // min(scale, 10)), trials)


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
