"""The data sets of the retrieval benchmark.

Our own set, `company`, is in `bench/data/company`: `company-dev` is for tuning, `company` is the half never used for
tuning. The others are read from `../shared/data` next to the repository and never shipped.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "shared" / "data"
COMPANY = Path(__file__).parent / "data" / "company"
FROZEN = "29479d8313b72c27f8f9caf76fc6913d85f5a8ede1fd1fa0f3c1d663ad38e152"
"""SHA-256 of the corpus and the test half, committed before any ranking was tuned on this set."""

_CATEGORIES = {1: "multi-hop", 2: "time", 3: "open-domain", 4: "single fact", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Text:
    """A text to remember; `at` is None if unknown."""

    id: str
    content: str
    source: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the ids that answer it, and the number of texts when it was asked."""

    text: str
    gold: frozenset[str]
    category: str
    before: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A store of a set, with its questions in the order of asking."""

    name: str
    texts: list[Text] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)


def available(more: Path | None = None) -> dict[str, list[Conversation]]:
    """Return the available sets by name, including those of a folder `more` in the same format."""
    if (digest := frozen()) != FROZEN:
        raise SystemExit(
            f"{COMPANY}: the frozen half has changed, its SHA-256 is {digest}; restore the committed files"
        )
    found = {"company": company(frozen_half=True), "company-dev": company(frozen_half=False)}
    if (path := DATA / "locomo" / "conversations.json").exists():
        found["locomo"] = [_locomo(one) for one in json.loads(path.read_text(encoding="utf-8"))]
    for path in sorted([*(DATA / "retrieval").glob("*.json"), *(more.glob("*.json") if more else ())]):
        content = json.loads(path.read_text(encoding="utf-8"))
        found[content["name"]] = [_store(one) for one in content["stores"]]
    return found


def company(*, frozen_half: bool) -> list[Conversation]:
    """Return the three companies with the questions of one half, chosen by question id."""
    found = []
    asked = [one for one in _lines(COMPANY / "questions.jsonl") if is_frozen(one["id"]) is frozen_half]
    for path in sorted(COMPANY.glob("corpus-*.jsonl")):
        run = path.stem[-1]
        texts = [Text(one["id"], one["text"], one["agent"], datetime.fromisoformat(one["at"])) for one in _lines(path)]
        queries = [
            Query(one["query"], frozenset(one["gold"]), one["kind"], len(texts)) for one in asked if one["run"] == run
        ]
        found.append(Conversation(f"company {run}", texts, queries))
    return found


def is_frozen(question: str) -> bool:
    """Return whether the question with this id is in the half never used for tuning."""
    return int(question, 16) % 2 == 0


def frozen() -> str:
    """Return the SHA-256 behind `FROZEN`: of the corpus and the questions of the test half."""
    digest = hashlib.sha256()
    for path in sorted(COMPANY.glob("corpus-*.jsonl")):
        digest.update(path.read_bytes())
    for line in (COMPANY / "questions.jsonl").read_bytes().splitlines():
        if is_frozen(json.loads(line)["id"]):
            digest.update(line + b"\n")
    return digest.hexdigest()


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _locomo(content: dict[str, Any]) -> Conversation:
    texts = list(_turns(content["conversation"]))
    known = {text.id for text in texts}
    queries = []
    for asked in content["qa"]:
        gold = frozenset(_evidence(asked.get("evidence", []))) & known
        if gold:
            queries.append(Query(asked["question"], gold, _CATEGORIES[asked["category"]], len(texts)))
    return Conversation(content["sample_id"], texts, queries)


def _turns(conversation: dict[str, Any]) -> Iterator[Text]:
    numbers = sorted(int(key[8:]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        began = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(
            tzinfo=UTC
        )
        for turn, said in enumerate(conversation[f"session_{number}"]):
            shown = f" [shares {said['blip_caption']}]" if said.get("blip_caption") else ""
            yield Text(said["dia_id"], said["text"] + shown, said["speaker"], began + timedelta(seconds=20 * turn))


def _evidence(given: list[str]) -> Iterator[str]:
    for part in re.split(r"[;\s,]+", " ".join(map(str, given))):
        if match := re.fullmatch(r"D:?(\d+):0*(\d+)", part):
            yield f"D{match[1]}:{match[2]}"


def _store(content: dict[str, Any]) -> Conversation:
    texts = [
        Text(one["id"], one["text"], one["speaker"], _moment(one["date"], number))
        for number, one in enumerate(content["items"])
    ]
    if all(text.at is None for text in texts):
        # Pooled paragraphs lie beside the others of their question; a memory has no such neighbourhood to offer.
        random.Random(1).shuffle(texts)
    queries = [
        Query(one["query"], frozenset(one["rel"]), one["cat"], one.get("before", len(texts)))
        for one in content["queries"]
    ]
    return Conversation(content["id"], texts, sorted(queries, key=lambda query: query.before))


def _moment(day: str | None, number: int) -> datetime | None:
    return datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(seconds=20 * number) if day else None
