"""The yield of business descriptions: right, wrong and missed parts, over twelve that owners might write.

    python -m bench.describing            # all; --words shows each wrong and missed one

A figure is right if the text has that number under that name, a target with its direction, a product if sold.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from mabos.society.describing import DescribedBusiness, read_description
from mabos.workspace.text import fold_case

DATA = Path(__file__).parent / "data" / "descriptions.yaml"
_DIRECTIONS = {"<": "below", "<=": "below", ">": "above", ">=": "above"}
Entry = tuple[str, str, float, str]
"""Kind, name, number and direction."""


def entries_of(read: DescribedBusiness) -> Iterator[Entry]:
    """Yield the figures, targets and products that were read."""
    yield from (("figures", f"{one.name} {one.title}", one.value, "") for one in read.values)
    for figure in (one for one in read.pack.figures if one.target):
        sign, _, number = figure.target.partition(" ")
        yield "targets", f"{figure.name} {figure.title}", float(number.strip("%")), _DIRECTIONS[sign]
    yield from (("products", one, 0.0, "") for one in read.pack.products)


def is_same(read: Entry, expected: Entry) -> bool:
    """Return whether an entry is the expected one: its kind, number and direction, and a stem of its name."""
    is_named = any(stem in fold_case(read[1]) for stem in expected[1].split("|"))
    return is_named and (read[0], *read[2:]) == (expected[0], *expected[2:])


def main() -> None:
    """Print the counts of each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", action="store_true", help="show each wrong and missed entry, and the unread text")
    options = parser.parse_args()
    total = Counter[tuple[str, str]]()
    for name, case in yaml.safe_load(DATA.read_text("utf-8")).items():
        read = read_description(case["text"], name=name.title())
        found, expected = list(entries_of(read)), list[Entry]()
        expected += [("figures", stem, float(value), "") for stem, value in case["figures"]]
        expected += [("targets", stem, float(value), way) for stem, way, value in case["targets"]]
        expected += [("products", stem, 0.0, "") for stem in case["products"]]
        wrong = [one for one in found if not any(is_same(one, other) for other in expected)]
        missed = [one for one in expected if not any(is_same(other, one) for other in found)]
        for verdict, entries in (("found", found), ("wrong", wrong), ("missed", missed)):
            total.update((verdict, one[0]) for one in entries)
            shown = entries if options.words and verdict != "found" else []
            print("".join(f"{name}: {verdict} {one}\n" for one in shown), end="")
        print("".join(f"{name}: unread {one}\n" for one in read.unread if options.words), end="")
    for kind in ("figures", "targets", "products"):
        right = total["found", kind] - total["wrong", kind]
        print(f"{kind}: {right} right, {total['wrong', kind]} wrong, {total['missed', kind]} missed")


if __name__ == "__main__":
    main()
