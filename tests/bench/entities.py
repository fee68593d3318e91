"""How good the entity memory's rules are on public data: `python -m tests.bench.entities`.

Resolution: one score and one pair of limits for all sets, set on the tuning half and printed for the report half. `own`
is the report half at the limit that is best for this set's tuning half. `together` is the share of true pairs that
blocking brings together. A set that is not at hand is missing from the table.

Extraction: what rules read from sentences, without any target. The patterns were written with the first 25 sentences of
WebNLG in view and fitted to nothing.
"""

from knowledge.entities.blocking import pairs
from knowledge.entities.likeness import Rarity, profile
from knowledge.entities.resolution import MERGE, SUGGEST
from tests.bench.entity_sets import RESOLUTION, Scored, best_limit, halves, key, measured, scored
from tests.bench.extraction_sets import redocred_mentions, redocred_relations, webnlg


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


def extraction() -> None:
    """Print the table of extraction by rules."""
    lines = {
        "webnlg triples, strict": webnlg(is_strict=True),
        "webnlg triples, loose": webnlg(is_strict=False),
        "redocred mentions": redocred_mentions(),
        "redocred related pairs": redocred_relations(),
    }
    print(f"\n{'extraction by rules':28}{'found':>7}{'P':>7}{'R':>7}{'F1':>7}")
    for name, one in lines.items():
        if one.found:
            print(f"{name:28}{one.found:7}{one.precision:7.3f}{one.recall:7.3f}{one.f1:7.3f}")


def main() -> None:
    """Print all tables."""
    resolution()
    extraction()


if __name__ == "__main__":
    main()
