"""How well questions find what answers them: recall and nDCG of our rankings beside others', with 95 % intervals.

    python -m tests.bench.retrieval [--sets company ...] [--systems fusion ...] [--cache DIR] [--leave-one-out]

Everything of ours is asked through `Memory.recall`. `company` is the frozen half of our own set, `company-dev` the half
to tune on, which is measured only where it is named. The other texts lie in `../shared/data` beside the repository, and
are left out where they are absent. Embedding needs `mabos[local]`; `--cache` keeps the vectors between runs. Peers that
are not installed (`chromadb`, `langgraph`, `mem0ai`) are left out with a message. `--leave-one-out` asks each
conversation of LoCoMo with weights fitted to the others alone.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import log2
from pathlib import Path
from statistics import fmean

from backends.minilm import missing
from tests.bench.retrieval_sets import Conversation, available
from tests.bench.retrieval_systems import SYSTEMS, CachedEmbedder, Ours, System
from tests.bench.retrieval_tuning import candidates, fitted

LIMIT = 20
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Judged:
    """How one question was answered."""

    category: str
    recall: dict[int, float]
    ndcg: float
    reciprocal: float


def judged(found: Sequence[str], gold: frozenset[str], category: str) -> Judged:
    """Return the measures of a ranked list of ids against the ids that answer the question."""
    hits = [one in gold for one in found]
    gain = sum(hit / log2(rank + 2) for rank, hit in enumerate(hits[:10]))
    ideal = sum(1 / log2(rank + 2) for rank in range(min(10, len(gold))))
    first = next((rank for rank, hit in enumerate(hits, start=1) if hit), 0)
    recall = {k: sum(hits[:k]) / len(gold) for k in (5, 10, 20)}
    return Judged(category, recall, gain / ideal, 1 / first if first else 0.0)


def answered(system: System, conversation: Conversation, folder: Path) -> Iterator[Judged]:
    """Yield how a system answers each question of a store, given only what was known when it was asked."""
    store = system(folder, sorted({text.source for text in conversation.texts}))
    known = 0
    for query in conversation.queries:
        if query.before > known:
            store.remember(conversation.texts[known : query.before])
            known = query.before
        yield judged(store.search(query.text, LIMIT), query.gold, query.category)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean, by resampling the questions."""
    chance = random.Random(0)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)]


def table(name: str, results: dict[str, list[Judged]]) -> Iterator[str]:
    """Yield the lines of the table of one set, multi-hop and other categories apart."""
    count = len(next(iter(results.values())))
    yield f"\n{name} ({count} questions), in %"
    yield f"{'':<24}{'R@5':>7}{'R@10':>7}{'95 % interval':>16}{'R@20':>7}{'nDCG@10':>9}{'MRR':>7}"
    for system, found in results.items():
        low, high = interval([one.recall[10] for one in found])
        at = {k: 100 * fmean(one.recall[k] for one in found) for k in (5, 10, 20)}
        ndcg, mrr = 100 * fmean(one.ndcg for one in found), 100 * fmean(one.reciprocal for one in found)
        spread = f"{100 * low:.1f} - {100 * high:.1f}"
        yield f"{system:<24}{at[5]:>7.1f}{at[10]:>7.1f}{spread:>16}{at[20]:>7.1f}{ndcg:>9.1f}{mrr:>7.1f}"
    categories = sorted({one.category for one in next(iter(results.values()))})
    yield f"{'R@10 by kind':<24}" + "".join(f"{category[:18]:>20}" for category in categories)
    for system, found in results.items():
        shares = [fmean(one.recall[10] for one in found if one.category == category) for category in categories]
        yield f"{system:<24}" + "".join(f"{100 * share:>20.1f}" for share in shares)


def measure(
    conversations: Sequence[Conversation], systems: dict[str, System], said: Callable[[str], object]
) -> dict[str, list[Judged]]:
    """Return how each system answers all questions of a set."""
    results: dict[str, list[Judged]] = {}
    for name, system in systems.items():
        results[name] = []
        for conversation in conversations:
            said(f"{name}: {conversation.name}")
            with tempfile.TemporaryDirectory() as folder:
                results[name] += answered(system, conversation, Path(folder))
    return results


def averages(results: dict[str, dict[str, list[Judged]]]) -> Iterator[str]:
    """Yield the means over the sets: recall@10 and nDCG@10 of each system."""
    systems = next(iter(results.values()))
    yield f"\nmean over {len(results)} sets: {', '.join(results)}"
    yield f"{'':<24}{'R@10':>7}{'nDCG@10':>9}"
    for system in systems:
        found = [one[system] for one in results.values()]
        recall = 100 * fmean(fmean(answer.recall[10] for answer in one) for one in found)
        ndcg = 100 * fmean(fmean(answer.ndcg for answer in one) for one in found)
        yield f"{system:<24}{recall:>7.1f}{ndcg:>9.1f}"


def left_out(conversations: Sequence[Conversation], embedder: CachedEmbedder | None) -> Iterator[str]:
    """Yield how each conversation is answered with weights fitted to the others, and all together."""
    questions = {one.name: list(candidates(one, embedder)) for one in conversations}
    everything: list[Judged] = []
    for one in conversations:
        others = [question for name, asked in questions.items() if name != one.name for question in asked]
        ours = partial(Ours, embedder=embedder, weights=fitted(others))
        with tempfile.TemporaryDirectory() as folder:
            found = list(answered(lambda place, _, ours=ours: ours(place), one, Path(folder)))  # type: ignore[misc]
        everything += found
        yield f"{one.name:<24}R@10 {100 * fmean(answer.recall[10] for answer in found):.1f}"
    low, high = interval([answer.recall[10] for answer in everything])
    mean = 100 * fmean(answer.recall[10] for answer in everything)
    yield f"{'all, each left out':<24}R@10 {mean:.1f} ({100 * low:.1f} - {100 * high:.1f})"


def main() -> None:
    """Print a table for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--systems", nargs="*", choices=list(SYSTEMS))
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--leave-one-out", action="store_true")
    given = parser.parse_args()
    known = available()
    sets = {name: known[name] for name in given.sets or known if given.sets or name != "company-dev"}
    embedder = None if missing() else CachedEmbedder(given.cache)
    if embedder is None:
        print(f"without embeddings: {', '.join(missing())} not installed (mabos[local])")
    if given.leave_one_out:
        for line in left_out(known.get("locomo", []), embedder):
            print(line, flush=True)
        return
    systems: dict[str, System] = {}
    for name in given.systems or SYSTEMS:
        made = SYSTEMS[name](embedder)
        if isinstance(made, str):
            print(f"{name}: left out, {made}")
        else:
            systems[name] = made
    results: dict[str, dict[str, list[Judged]]] = {}
    for name, conversations in sets.items():
        results[name] = measure(conversations, systems, lambda line: print(line, file=sys.stderr))
        print("\n".join(table(name, results[name])), flush=True)
        if embedder is not None:
            embedder.keep()
    print("\n".join(averages(results)))


if __name__ == "__main__":
    main()
