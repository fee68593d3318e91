"""Write `configs/requests/related_words.txt` from the database files of WordNet 3.0.

    python scripts/related_words.py /usr/share/wordnet

Two words are related if they share one of their first three meanings, one is a kind of the other, or one is derived
from the other. Words missing in WordNet's sample texts, and very general ones, are left out. A line has a stem and its
related stems; each pair appears once.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from mabos.memory.stem import stem
from mabos.workspace.text import STOPWORDS

FILE = Path(__file__).parents[1] / "configs" / "requests" / "related_words.txt"
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_SENSES = 3  # the meanings of a word that count, the most frequent first
_KINDS = "@~&$="  # hypernym, hyponym, similar to, verb group, attribute
_DERIVED = "+"
_EMPTY = frozenset(
    """be have do make get go come take give put hold set let keep see know say tell use find thing person people act
    change move part state place time way work group object body event""".split()  # noqa: SIM905
)
_Synset = tuple[list[str], list[tuple[str, str, str]]]


def _records(folder: Path, kind: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the part of speech and the fields of each line; the licence at the top is indented."""
    for part, name in _PARTS.items():
        for line in (folder / f"{kind}.{name}").read_text(encoding="latin-1").splitlines():
            if not line.startswith("  "):
                yield part, line.partition("|")[0].split()


def _synsets(folder: Path) -> dict[tuple[str, str], _Synset]:
    """Return the words of each synset, and its pointers: the kind, the synset, and which word of it."""
    found: dict[tuple[str, str], _Synset] = {}
    for part, fields in _records(folder, "data"):
        count = int(fields[3], 16)
        words = [fields[4 + 2 * at].partition("(")[0].lower() for at in range(count)]
        rest = fields[5 + 2 * count :]
        pointers = [
            (rest[at], rest[at + 2].replace("s", "a") + rest[at + 1], rest[at + 3]) for at in range(0, len(rest) - 3, 4)
        ]
        found[part, fields[0]] = (words, pointers)
    return found


def pairs(folder: Path) -> set[tuple[str, str]]:
    """Return the pairs of related stems in a folder's database."""
    synsets = _synsets(folder)
    seen = {line.split("%")[0] for line in (folder / "cntlist.rev").read_text(encoding="latin-1").splitlines()}
    named = {word for word in seen if word.isalpha() and len(word) > 2 and word not in STOPWORDS}
    found: set[tuple[str, str]] = set()
    for part, fields in _records(folder, "index"):
        word = fields[0]
        if word not in named or word in _EMPTY:
            continue
        for offset in fields[6 + int(fields[3]) :][:_SENSES]:
            words, pointers = synsets[part, offset]
            others = list(words)
            for kind, target, which in pointers:
                meant = synsets.get((target[0], target[1:]))
                if meant is None or (kind not in _KINDS and kind != _DERIVED):
                    continue
                source, at = int(which[:2], 16), int(which[2:], 16)
                if kind == _DERIVED and source and words[source - 1] != word:
                    continue
                others += [meant[0][at - 1]] if at else meant[0]
            stems = {stem(one) for one in others if one in named and one not in _EMPTY} - {stem(word)}
            found |= {(min(stem(word), one), max(stem(word), one)) for one in stems}
    return found


if __name__ == "__main__":
    lines: dict[str, list[str]] = defaultdict(list)
    for one, other in sorted(pairs(Path(sys.argv[1]))):
        lines[one].append(other)
    FILE.write_text("".join(f"{one} {' '.join(others)}\n" for one, others in lines.items()), encoding="ascii")
    print(f"{sum(map(len, lines.values()))} pairs of {len(lines)} stems")
