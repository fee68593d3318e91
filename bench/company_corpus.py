"""The generator of the company retrieval corpus, from the logs of three simulated quarters.

    python -m bench.company_corpus [--out DIR]

It runs each scenario with its seed and collects the logs of the nine agents and their questions to the owner. The same
code gives the same bytes; the questions in `bench/data/company/questions.jsonl` refer to items of the committed corpus.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from mabos.graphs.simulate import simulate
from mabos.memory.daily import days, entries
from mabos.society.decisions import open_decisions
from mabos.society.simulation.scenario_files import load_scenario
from mabos.workspace.sync import Sync

FOLDER = Path(__file__).parent / "data" / "company"
RUNS = {"a": ("saas", "1"), "b": ("saas-runway-squeeze", "2"), "c": ("saas", "3")}
WEEKS = 13
_CONDENSED = "[Consolidated from "


@dataclass(frozen=True, slots=True)
class Item:
    """A memory of an agent."""

    id: str
    agent: str
    at: str
    type: str
    text: str


def corpus(run: str, workspace: Path) -> list[Item]:
    """Return a workspace's records in order of time; repetitions count once, at their first time."""
    found = [*_logged(workspace), *_asked(workspace)]
    first: dict[str, tuple[str, str, str, str]] = {}
    for agent, at, kind, text in sorted(found, key=lambda one: (one[1], one[0])):
        first.setdefault(text, (agent, at, kind, text))
    return [Item(f"{run}{number:04}", *fields) for number, fields in enumerate(first.values(), start=1)]


def _logged(workspace: Path) -> Iterator[tuple[str, str, str, str]]:
    for agent in sorted((workspace / "agents").iterdir()):
        folder = agent / "memory"
        for day in days(folder):
            for entry in entries(folder, day):
                if entry.id and not entry.content.startswith(_CONDENSED):
                    yield agent.name, f"{day}T{entry.time}:00Z", entry.type, entry.content


def _asked(workspace: Path) -> Iterator[tuple[str, str, str, str]]:
    (business,) = (workspace / "businesses").iterdir()
    for one in open_decisions(business, Sync("off")).all():
        answer = " ".join(filter(None, (one.status, one.chosen_option and f"(option {one.chosen_option})")))
        told = f"Asked the owner: {one.description or one.subject} Answer: {answer}. {one.feedback}".strip()
        yield one.from_agent, f"{one.created_at[:16]}:00Z", "decision", told


def main() -> None:
    """Write a corpus for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FOLDER)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for run, (scenario, seed) in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            simulate(load_scenario(scenario), out=Path(folder), weeks=WEEKS, seed=seed)
            items = corpus(run, Path(folder) / "workspace")
        lines = [json.dumps(asdict(item), ensure_ascii=False) for item in items]
        (out / f"corpus-{run}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"corpus-{run}.jsonl: {len(items)} items")


if __name__ == "__main__":
    main()
