"""The quality of retrieval: recall and nDCG of our rankings and others', with 95 % intervals.

    python -m bench.retrieval [--sets company ...] [--systems fusion ...] [--cache DIR]

Ours is queried through `Memory.recall`. `company` is the frozen half of our own set, `company-dev` the half for tuning,
measured only if named. The other texts are in `../shared/data` next to the repository, and skipped if absent. Embedding
needs `mabos[local]`; vectors are cached between runs. Peers that are not installed (`chromadb`, `langgraph`, `mem0ai`)
are skipped with a message. Finally, each conversation of LoCoMo is queried with weights fitted to the others alone.
Deeper recalls are measured only if `--systems` names them.
"""

import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log2
from pathlib import Path
from statistics import fmean

from bench.kept import FOLDER
from bench.measured import Line, exactly
from bench.printed import options, shown
from bench.retrieval_sets import Conversation, available
from bench.retrieval_systems import SYSTEMS, CachedEmbedder, Ours, System
from bench.retrieval_tuning import candidates, fitted
from mabos.backends.minilm import missing

LIMIT = 20
CACHE = FOLDER.parent / "vectors"
OURS, WORDS, HYBRID, FTS = "fusion", "fusion, words only", "ours: hybrid .7/.3", "FTS5"
MODES = ("ours: text only", "ours: dense only", HYBRID)
MULTI_HOP = "multi-hop"
_RESAMPLES = 1000
_FOREIGN = 40
NONSENSE = (
    "xylophone quantum",
    "zorblatt frimbly nox",
    "qwerty asdf",
    "purple elephants juggling on the moon",
    "how to bake sourdough in zero gravity",
    "the mating rituals of penguins",
    "who won the 1962 world cup final",
    "medieval falconry techniques",
    "dragon slaying insurance",
    "the capital of Mongolia",
    "how do black holes evaporate",
    "lorem ipsum dolor sit amet",
)
"""Questions that no store of these sets can answer; the scale of relevance was set with these and others."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The result for one question."""

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
    """Yield a system's results for each question of a store, given only what was known when it was asked."""
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


def of_set(name: str, results: Mapping[str, list[Judged]]) -> Iterator[Line]:
    """Yield the recall of every system on one set, with our limits."""
    for system, found in results.items():
        low, high = interval([one.recall[10] for one in found])
        others = {k: 100 * fmean(one.recall[k] for one in found) for k in (5, 20)}
        ndcg, first = 100 * fmean(one.ndcg for one in found), 100 * fmean(one.reciprocal for one in found)
        hops = [one.recall[10] for one in found if one.category == MULTI_HOP]
        note = (
            f"95 %: {100 * low:.1f} to {100 * high:.1f}; R@5 {others[5]:.1f}, R@20 {others[20]:.1f}, "
            f"nDCG@10 {ndcg:.1f}, MRR {first:.1f}"
        )
        note += f"; {MULTI_HOP} {100 * fmean(hops):.1f}" if hops else ""
        yield Line(f"{name}: R@10 of {system}", exactly(recall(found)), unit="%", note=note)
    modes = [recall(results[mode]) for mode in MODES if mode in results]
    if OURS in results and modes:
        ahead = exactly(recall(results[OURS]) - max(modes))
        yield Line(f"{name}: the default, R@10", ahead, least=-1, unit="points", beside="the best of its own modes")
    if WORDS in results and FTS in results:
        ahead = exactly(recall(results[WORDS]) - recall(results[FTS]))
        yield Line(f"{name}: words only, R@10", ahead, least=0, unit="points", beside="SQLite's FTS5")


def recall(found: Sequence[Judged]) -> float:
    """Return recall@10 in percent."""
    return 100 * fmean(one.recall[10] for one in found)


def measure(
    conversations: Sequence[Conversation], systems: Mapping[str, System], said: Callable[[str], object]
) -> dict[str, list[Judged]]:
    """Return each system's results for all questions of a set."""
    results: dict[str, list[Judged]] = {}
    for name, system in systems.items():
        results[name] = []
        for conversation in conversations:
            said(f"{name}: {conversation.name}")
            with tempfile.TemporaryDirectory() as folder:
                results[name] += answered(system, conversation, Path(folder))
    return results


def averages(results: Mapping[str, Mapping[str, list[Judged]]]) -> Iterator[Line]:
    """Yield each system's means over the sets, and the default's lead over the documents' hybrid."""
    means: dict[str, tuple[float, float]] = {}
    for system in next(iter(results.values())):
        found = [one[system] for one in results.values()]
        ndcg = 100 * fmean(fmean(answer.ndcg for answer in one) for one in found)
        means[system] = fmean(map(recall, found)), ndcg
        note = f"nDCG@10 {ndcg:.1f}"
        yield Line(f"mean of {len(results)} sets: R@10 of {system}", exactly(means[system][0]), unit="%", note=note)
    if OURS in means and HYBRID in means:
        for number, measure in enumerate(("R@10", "nDCG@10")):
            ahead = exactly(means[OURS][number] - means[HYBRID][number])
            name = f"mean of {len(results)} sets: the default, {measure}"
            yield Line(name, ahead, least=5, unit="points", beside="the documents' hybrid")


def silence_lines(name: str, sets: Mapping[str, Sequence[Conversation]], system: System, label: str) -> Iterator[Line]:
    """Yield how many questions of other sets, and how much nonsense, find nothing in the stores of a set."""
    chance = random.Random(3)
    others = [query.text for other, stores in sets.items() if other != name for one in stores for query in one.queries]
    found: dict[str, list[bool]] = {"questions of other sets": [], "nonsense": []}
    for one in sets[name]:
        with tempfile.TemporaryDirectory() as folder:
            store = system(Path(folder), sorted({text.source for text in one.texts}))
            store.remember(one.texts)
            asked = chance.sample(others, min(len(others), _FOREIGN)), NONSENSE
            for kind, texts in zip(found, asked, strict=True):
                found[kind] += [not store.search(text, 1) for text in texts]
    for kind, silent in found.items():
        if silent:
            yield Line(f"{name}: {kind} that find nothing, {label}", exactly(100 * fmean(silent)), unit="%")


def left_out(conversations: Sequence[Conversation], embedder: CachedEmbedder) -> Line:
    """Return the results for the conversations, each with weights fitted to the others."""
    questions = {one.name: list(candidates(one, embedder)) for one in conversations}
    everything: list[Judged] = []
    for one in conversations:
        others = [question for name, asked in questions.items() if name != one.name for question in asked]
        ours = partial(Ours, embedder=embedder, weights=fitted(others))
        with tempfile.TemporaryDirectory() as folder:
            everything += answered(lambda place, _, ours=ours: ours(place), one, Path(folder))  # type: ignore[misc]
    low, high = interval([answer.recall[10] for answer in everything])
    note = f"95 %: {100 * low:.1f} to {100 * high:.1f}"
    name = "locomo: R@10 with weights fitted to the other conversations"
    return Line(name, exactly(recall(everything)), least=80, unit="%", note=note)


def lines(
    scale: int, *, sets: Sequence[str] = (), systems: Sequence[str] = (), cache: Path = CACHE, more: Path | None = None
) -> Iterator[Line]:
    """Yield every system's results on every set; on a small scale, some questions for two of them."""
    known = available(more)
    chosen = {name: known[name] for name in sets or known if sets or name != "company-dev"}
    names = systems or [name for name in SYSTEMS if "depth" not in name]
    if scale > 1:
        chosen = {"company": [few(known["company"][0], scale)]}
        names = (WORDS, FTS)
    embedder = None if scale > 1 or missing() else CachedEmbedder(cache)
    made = {name: SYSTEMS[name](embedder) for name in names}
    for name, system in made.items():
        if isinstance(system, str):
            yield Line(f"R@10 of {name}", None, unit="%", note=system)
    results: dict[str, dict[str, list[Judged]]] = {}
    for name, conversations in chosen.items():
        there = {one: system for one, system in made.items() if not isinstance(system, str)}
        results[name] = measure(conversations, there, lambda line: print(line, file=sys.stderr))
        yield from of_set(name, results[name])
        for one in (OURS, WORDS):
            if one in there:
                yield from silence_lines(name, chosen, there[one], one)
        if embedder is not None:
            embedder.keep()
    yield from averages(results)
    if embedder is not None and "locomo" in chosen and OURS in names:
        yield left_out(chosen["locomo"], embedder)


def few(conversation: Conversation, scale: int) -> Conversation:
    """Return a store with some of its questions."""
    return replace(conversation, queries=conversation.queries[::scale])


def main() -> int:
    """Print the table; exit code 1 if a limit is missed."""
    parser = options(__doc__)
    parser.add_argument("--sets", nargs="*", default=())
    parser.add_argument("--systems", nargs="*", choices=list(SYSTEMS), default=())
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument(
        "--data", type=Path, help="a folder with further sets, in the format of ../shared/data/retrieval"
    )
    given = parser.parse_args()
    found = lines(given.scale, sets=given.sets, systems=given.systems, cache=given.cache, more=given.data)
    return shown(found, as_json=given.json)


if __name__ == "__main__":
    raise SystemExit(main())
