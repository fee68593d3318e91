"""How good the entity memory's rules are on public data: `python -m tests.bench.entities`.

Resolution: one score and one pair of limits for all sets, set on the tuning half and printed for the report half. `own`
is the report half at the limit that is best for this set's tuning half. `together` is the share of true pairs that
blocking brings together. A set that is not at hand is missing from the table.

Cost: what it takes to find which of so many records are the same, all among themselves or a few new ones against those
that are known, one run each. The records are made up of a name of three words and a text of fifteen.

Extraction: what rules read from sentences, without any target. `concepts` are what the product makes of a text:
definitions in a session, concepts in the archive. The others are readers that were tried and feed no memory: what they
find on well-formed sentences is too little, and on notes they take verbs for names. The patterns were written with the
first 25 sentences of WebNLG in view and fitted to nothing.
"""

import random
from collections.abc import Mapping
from time import process_time

from knowledge.archive import by_rule
from knowledge.archive.model import Line as Said
from knowledge.entities.blocking import pairs
from knowledge.entities.likeness import Rarity, Record, profile
from knowledge.entities.resolution import MERGE, SUGGEST, matches
from knowledge.entities.sentences import definitions
from tests.bench.entity_sets import RESOLUTION, Scored, best_limit, halves, key, measured, scored
from tests.bench.extraction_sets import redocred_mentions, redocred_relations, webnlg, webnlg_concepts


def resolution() -> None:
    """Print the table of entity resolution."""
    sets = {name: found for name in RESOLUTION if (found := scored(name))}
    if not sets:
        print("the entity resolution sets are not in ../shared/data/graph")
        return
    tuned = best_limit([halves(found)[0] for found in sets.values()])
    print(f"best single limit on the tuning halves {tuned:.2f}; in use: suggest {SUGGEST}, merge {MERGE}")
    print(f"{'report half':16}{'pairs':>7}{'true':>6}{'P':>7}{'R':>7}{'F1':>7}{'own F1':>8}", end="")
    print(f"{'merged':>8}{'P':>7}{'of all':>8}{'P':>7}{'together':>10}")
    for name, found in sets.items():
        tuning, report = halves(found)
        use, own = measured(report, SUGGEST), measured(report, best_limit([tuning]))
        merged, everywhere = measured(report, MERGE), measured(found, MERGE)
        print(f"{name:16}{len(report):7}{sum(one.is_match for one in report):6}", end="")
        print(f"{use.precision:7.3f}{use.recall:7.3f}{use.f1:7.3f}{own.f1:8.3f}", end="")
        print(f"{merged.found:8}{merged.precision:7.3f}{everywhere.found:8}{everywhere.precision:7.3f}", end="")
        print(f"{brought_together(found):10.3f}")


def brought_together(found: list[Scored]) -> float:
    """Return the share of the true pairs that are compared when all records of both sides are given at once."""
    ones, others = {key(one.a): profile(one.a) for one in found}, {key(one.b): profile(one.b) for one in found}
    compared = set(pairs(ones, others, Rarity([*ones.values(), *others.values()])))
    wanted = {(key(one.a), key(one.b)) for one in found if one.is_match}
    return len(wanted & compared) / len(wanted)


def cost() -> None:
    """Print the table of what resolution costs."""
    print(f"\n{'cost of resolution':40}{'CPU s':>9}{'ms a record':>13}")
    records = list(_business(10_010).items())
    for count in (2_000, 8_000):
        _told(f"{count:,} among themselves", count, dict(records[:count]))
    _told("10 new against 10,000 known", 10, dict(records[10_000:]), dict(records[:10_000]))


def _told(name: str, count: int, some: Mapping[str, Record], known: Mapping[str, Record] | None = None) -> None:
    begin = process_time()
    matches(some, known)
    spent = process_time() - begin
    print(f"{name:40}{spent:9.2f}{spent * 1000 / count:13.2f}")


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


def extraction() -> None:
    """Print the table of extraction by rules."""
    lines = {
        "webnlg concepts, session": webnlg_concepts(lambda text: [one.subject for one in definitions(text)]),
        "webnlg concepts, archive": webnlg_concepts(_archived),
        "webnlg triples, strict": webnlg(is_strict=True),
        "webnlg triples, loose": webnlg(is_strict=False),
        "redocred mentions": redocred_mentions(),
        "redocred related pairs": redocred_relations(),
    }
    print(f"\n{'extraction by rules':28}{'found':>7}{'P':>7}{'R':>7}{'F1':>7}")
    for name, one in lines.items():
        if one.found:
            print(f"{name:28}{one.found:7}{one.precision:7.3f}{one.recall:7.3f}{one.f1:7.3f}")


def _archived(text: str) -> list[str]:
    found = by_rule.extracted("", [Said("assistant", text)])
    return [one.content for one in found.pieces if one.type == "concept"]


def main() -> None:
    """Print all tables."""
    resolution()
    cost()
    extraction()


if __name__ == "__main__":
    main()
