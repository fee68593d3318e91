"""The public sets of the entity benchmark, never shipped: in `../shared/data/graph` or `build/sets`.

Each labelled pair belongs to one of two halves, by a hash of its text: limits are set on `tuning`, figures are those of
`report`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from mabos.knowledge.entities.conclusions import Conclusion, compare
from mabos.knowledge.entities.resolution import MERGE, matches
from mabos.knowledge.similarity import Rarity, Record, RecordProfile, record_likeness, record_profile

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "graph"
MADE = ROOT / "build" / "sets"
"""Sets that `bench.public_sets` made of clones."""
RESOLUTION = ("dblp_acm", "dirty_dblp_acm", "fodors_zagats", "beer", "abt_buy", "amazon_google")


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled pair of records, its score, and its half."""

    a: Record
    b: Record
    score: float
    is_match: bool
    is_tuning: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """Precision, recall and F1, and the number found."""

    precision: float
    recall: float
    f1: float
    found: int


def rows(name: str) -> list[Any]:
    """Return the lines of a set; none if it is unavailable."""
    path = next((path for base in (MADE, DATA) if (path := base / f"{name}.jsonl").exists()), None)
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path else []


def scored(name: str) -> list[Scored]:
    """Return the labelled pairs of a set; word frequencies come from its records, which needs no label."""
    pairs = rows(f"entity_resolution/{name}")
    profiles: dict[str, RecordProfile] = {
        key(one): record_profile(one) for pair in pairs for one in (pair["a"], pair["b"])
    }
    rarity = Rarity(profiles.values())
    return [
        Scored(
            pair["a"],
            pair["b"],
            record_likeness(profiles[key(pair["a"])], profiles[key(pair["b"])], rarity).score,
            bool(pair["match"]),
            blake2b((key(pair["a"]) + key(pair["b"])).encode(), digest_size=1).digest()[0] % 2 == 0,
        )
        for pair in pairs
    ]


def key(record: Record) -> str:
    """Return a record as one text."""
    return json.dumps(record, sort_keys=True)


def halves(pairs: Sequence[Scored]) -> tuple[list[Scored], list[Scored]]:
    """Return the pairs for setting limits, and those to report."""
    return [one for one in pairs if one.is_tuning], [one for one in pairs if not one.is_tuning]


def measured(pairs: Sequence[Scored], limit: float) -> Measured:
    """Return the measures if every pair from `limit` up is a match."""
    found = [one for one in pairs if one.score >= limit]
    right = sum(one.is_match for one in found)
    return agreement(right, len(found), sum(one.is_match for one in pairs))


def agreement(right: int, found: int, wanted: int) -> Measured:
    """Return the measures for a number of correct ones among those found and those wanted."""
    precision, recall = right / found if found else 1.0, right / wanted if wanted else 1.0
    both = precision + recall
    return Measured(precision, recall, 2 * precision * recall / both if both else 0.0, found)


def limits() -> Iterator[float]:
    """Yield the limits to try."""
    yield from (step / 100 for step in range(30, 100))


def best_limit(sets: Sequence[Sequence[Scored]]) -> float:
    """Return the limit with the best mean F1 over all the sets."""
    return max(limits(), key=lambda limit: sum(measured(one, limit).f1 for one in sets))


def is_unread(text: str) -> bool:
    """Return whether this text is in the half that nobody looks at."""
    return blake2b(text.encode(), digest_size=1).digest()[0] % 2 == 1


def merged_people() -> dict[str, Measured]:
    """Return precision and recall, by pairs, of automatic merging on the unread half of each FEBRL set."""
    found: dict[str, Measured] = {}
    for name in sorted({row["set"] for row in rows("febrl/records")}):
        unread = [row for row in rows("febrl/records") if row["set"] == name and is_unread(row["of"])]
        whose = {row["id"]: row["of"] for row in unread}
        merged = matches({row["id"]: row["record"] for row in unread}, least=MERGE)
        right = sum(whose[one.a] == whose[one.b] for one in merged)
        wanted = sum(count * (count - 1) // 2 for count in Counter(whose.values()).values())
        found[name] = agreement(right, len(merged), wanted)
    return found


def contradictions() -> tuple[Measured, Measured]:
    """Return the quality of flagging contradictions and of merging conclusions on the unread half of SICK."""
    flagged: Counter[str] = Counter()
    merged: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for row in rows("sick/pairs"):
        if is_unread(row["a"] + row["b"]):
            actions = {one.action for one in compare(Conclusion("b", row["b"]), [Conclusion("a", row["a"])])}
            wanted[row["label"]] += 1
            flagged[row["label"]] += "flag" in actions
            merged[row["label"]] += "merge" in actions
    of = agreement(flagged["CONTRADICTION"], flagged.total(), wanted["CONTRADICTION"])
    return of, agreement(merged["ENTAILMENT"], merged.total(), wanted["ENTAILMENT"])
