"""The cost of finding similar cases, compared with a full scan and cbrkit: `python -m bench.cases`.

It shows the median CPU milliseconds of one query on 10,000 cases; the ratios must hold on any machine. All give the
same scores. cbrkit is included only if installed, with our similarity in its own framework.
"""

import statistics
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from random import Random
from time import process_time
from typing import Any

from bench.measured import Line, exactly, missing
from bench.printed import printed
from mabos.knowledge.case_index import CaseIndex, best
from mabos.knowledge.case_records import Case
from mabos.knowledge.similarity import linear, overlap

CASES, QUESTIONS, WANTED = 10_000, 30, 10
PEER = 200.0
"""The least factor of cbrkit's time that ours may take."""
Question = tuple[dict[str, None], dict[str, None]]
Scores = list[float]


def case_base(number: int) -> list[Case]:
    """Return cases of 3 to 25 of 2,000 beliefs and 1 to 6 of 200 desires."""
    random = Random(1)
    return [
        Case(f"C-{number}", _names(random, "b", 2000, 3, 25), _names(random, "d", 200, 1, 6), "success")
        for number in range(number)
    ]


def questions() -> list[Question]:
    """Return situations of 40 beliefs and 8 desires."""
    random = Random(2)
    return [(_names(random, "b", 2000, 40, 40), _names(random, "d", 200, 8, 8)) for _ in range(QUESTIONS)]


def _names(random: Random, prefix: str, among: int, least: int, most: int) -> dict[str, None]:
    return dict.fromkeys(random.sample([f"{prefix}{n}" for n in range(among)], random.randint(least, most)))


def indexed(cases: list[Case]) -> Callable[[Question], Scores]:
    """Return our retrieval."""
    index = CaseIndex()
    for number, case in enumerate(cases):
        index.add(case, number)
    return lambda asked: [score for score, *_ in best([index], *asked, linear(), WANTED)]


def looking_at_all(cases: list[Case]) -> Callable[[Question], Scores]:
    """Return the algorithm of the documents."""
    score = linear()

    def retrieve(asked: Question) -> Scores:
        scores = [score(overlap(case.beliefs, asked[0]), overlap(case.desires, asked[1])) for case in cases]
        return sorted(scores, reverse=True)[:WANTED]

    return retrieve


def in_cbrkit(cases: list[Case]) -> Callable[[Question], Scores]:
    """Return cbrkit's retrieval of the same cases: lists of ids, as stored, and the formula of S0."""
    cbrkit: Any = import_module("cbrkit")

    def share(past: Any, now: Any) -> float:
        return len(set(past) & set(now)) / len(past)

    similarity = cbrkit.sim.attribute_value(
        attributes={"beliefs": share, "desires": share},
        aggregator=cbrkit.sim.aggregator(pooling="mean", pooling_weights={"beliefs": 0.6, "desires": 0.4}),
    )
    base = {number: _listed(case.beliefs, case.desires) for number, case in enumerate(cases)}
    retriever = cbrkit.retrieval.build(similarity, limit=WANTED)

    def retrieve(asked: Question) -> Scores:
        found = cbrkit.retrieval.apply(base, _listed(*asked), retriever)
        return [float(found.similarities[number].value) for number in found.ranking]

    return retrieve


def _listed(beliefs: Mapping[str, Any], desires: Mapping[str, Any]) -> dict[str, list[str]]:
    return {"beliefs": list(beliefs), "desires": list(desires)}


def median(retrieve: Callable[[Question], Scores], asked: list[Question]) -> tuple[float, list[Scores]]:
    """Return the median CPU milliseconds of a query, and the scores of all."""
    retrieve(asked[0])
    times, scores = [], []
    for one in asked:
        started = process_time()
        scores.append(retrieve(one))
        times.append((process_time() - started) * 1000)
    return statistics.median(times), scores


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of a query, and the ratio of the others' cost for the same scores."""
    cases, asked = case_base(max(100, CASES // scale)), questions()
    cost, scores = median(indexed(cases), asked * 5)
    yield Line(f"the {WANTED} likest of {len(cases):,} cases", exactly(cost), note="of the processor")
    peers = {"looking at every case": (looking_at_all, None), "cbrkit": (in_cbrkit, PEER)}
    for name, (made, least) in peers.items():
        if name == "cbrkit" and find_spec("cbrkit") is None:
            yield missing("the same question", name)
            continue
        theirs, their_scores = median(made(cases), asked if name != "cbrkit" else asked[:15])
        same = all(
            abs(a - b) < 1e-9
            for one, other in zip(scores, their_scores, strict=False)
            for a, b in zip(one, other, strict=True)
        )
        told = f"the same scores: {'yes' if same else 'NO'}"
        yield Line(
            "the same question, times ours", exactly(theirs / cost), least=least, unit="x", beside=name, note=told
        )


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
