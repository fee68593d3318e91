"""The share of documents read correctly, by format, without a model: `python -m bench.documents`.

    python -m bench.documents                                   # documents made from seeds that are for tuning
    python -m bench.documents --unread                          # from unseen seeds
    python -m bench.documents --public .../competition-dataset  # and tables of public PDF files with answers

Figures are right, wrong or missed among all in the tables by month. Passages count questions whose answer quotes the
letter. Tables of public files count relations of neighbouring cells (`document_tables.py`).
"""

import sys
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.document_sets import FigureDocument, ProseDocument, figure_documents, prose_documents
from bench.document_tables import is_for_tuning, summed
from mabos.language.request import Request
from mabos.society.documents import read_text
from mabos.society.documents.prose import as_csv, is_series
from mabos.society.metrics_file import read_metrics
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.dispatch import answer_question
from tests.world import World

SEEDS, FIRST_UNREAD = 12, 100
LEAST_RIGHT, MOST_WRONG, LEAST_FOUND = 0.98, 0.0, 0.85


def figures_of(document: FigureDocument) -> Counter[str]:
    """Return how many figures of a table were right, wrong, or missed."""
    found = dict[tuple[str, str], float]()
    for table in read_text(document.name, document.content).tables:
        own = replace(table, is_from_outside=False)
        if is_series(own):
            for one in read_metrics(as_csv(own), document.name).observations:
                found[one.subject, one.at[:7]] = float(one.value.rstrip("%"))
    told = Counter[str]()
    for key, value in document.answers.items():
        told["missed" if key not in found else "right" if abs(found[key] - value) < 0.01 else "wrong"] += 1
    return told


def passages_of(documents: Iterable[ProseDocument]) -> Counter[str]:
    """Return how many questions were answered with a quotation from a letter."""
    told = Counter[str]()
    for document in documents:
        with (
            tempfile.TemporaryDirectory() as folder,
            World(
                Path(folder) / "w",
                clock=lambda: datetime(2026, 11, 9, 8, tzinfo=UTC),
                settings={"memory.embeddings": "none"},
            ) as world,
        ):
            inbox = world.business.directory / "inbox"
            inbox.mkdir(exist_ok=True)
            (inbox / document.name).write_bytes(document.content)
            agent = world.services.agent("coo")
            for question, answer in document.questions:
                said = answer_question(agent, Request("", "", STAKEHOLDER, "question", question)).text
                told["found" if answer in said else "missed"] += 1
    return told


def main() -> int:
    """Print the table; the exit code is 1 if a limit is missed."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--unread", action="store_true", help="seeds and files that are not for tuning")
    parser.add_argument("--public", type=Path, help="a folder of PDF files with their answers")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    chosen = parser.parse_args()
    seeds = range(FIRST_UNREAD * chosen.unread, FIRST_UNREAD * chosen.unread + chosen.seeds)
    figures, passages = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for seed in seeds:
        for document in figure_documents(seed):
            figures[document.name.partition(".")[2]] += figures_of(document)
        for letter in prose_documents(seed):
            passages[letter.name.rpartition(".")[2]] += passages_of([letter])
    print(f"{'figures in':12} {'right':>6} {'wrong':>6} {'missed':>6}")
    for kind, told in figures.items():
        print(f"{kind:12} {told['right']:6} {told['wrong']:6} {told['missed']:6}")
    print(f"\n{'passages in':12} {'found':>6} {'missed':>6}")
    for kind, told in passages.items():
        print(f"{kind:12} {told['found']:6} {told['missed']:6}")
    if chosen.public:
        files = sorted(one for one in chosen.public.rglob("*.pdf") if one.with_name(f"{one.stem}-str.xml").exists())
        half = [one for one in files if is_for_tuning(one) != chosen.unread]
        score = summed(half)
        print(f"\ntables of {len(half)} public files: precision {score.precision:.3f}, recall {score.recall:.3f}")
    return is_missed(sum(figures.values(), Counter()), sum(passages.values(), Counter()))


def is_missed(figures: Counter[str], passages: Counter[str]) -> bool:
    """Return whether a limit is missed, and print the sums with the limits."""
    right, wrong = (figures[one] / figures.total() for one in ("right", "wrong"))
    found = passages["found"] / passages.total()
    print(f"\nfigures right {right:.3f} (at least {LEAST_RIGHT}), wrong {wrong:.3f} (at most {MOST_WRONG})")
    print(f"passages found {found:.3f} (at least {LEAST_FOUND})")
    return right < LEAST_RIGHT or wrong > MOST_WRONG or found < LEAST_FOUND


if __name__ == "__main__":
    sys.exit(main())
