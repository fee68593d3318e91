"""Damage to every kind of file in a workspace in every way, followed by normal work: `python -m chaos.damage --rounds
2`.

Each trial damages one file of a furnished company: torn, cut, emptied, a bit turned, zeros, noise, half merged by git,
a sign mistyped. Then `mabos verify` must report it with its location, unless nothing is lost (an unacknowledged half
line, a snapshot with its journal, derived data), or it may be intended: a readable change of a file for people is an
edit. Then the commands of a typical day run. None may end in a traceback, agents with intact files must continue, and
the damaged bytes must be kept, in place or next to it.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from chaos.children import child, import_what_it_imports
from chaos.damages import DAMAGES, may_be_meant
from chaos.furnished import differences, fresh, furnished, state, warmed
from chaos.tally import Row, Tally
from mabos.tools.gate.call import call
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.house import house

NOW = "2026-01-05T10:00:00Z"
FILES = (
    "mabos.yaml", "stakeholder.json", "decision-queue.json", "contractor-pool.json", "inbox.json", "effects.json",
    "contract-net/CFP-1.json", "ledger/cfo.jsonl", "ontologies/saas.jsonld", "ontologies/shapes.jsonld",
    "ontologies/proposals/saas-proposals.json",
    "agents/cfo/agent.json", "agents/cfo/Persona.md", "agents/cfo/Beliefs.md", "agents/cfo/Desires.md",
    "agents/cfo/Goals.md", "agents/cfo/Plans.md", "agents/cfo/Intentions.md", "agents/cfo/Capabilities.md",
    "agents/cfo/Playbooks.md", "agents/cfo/mind.journal.jsonl", "agents/cfo/mind.journal.000001.jsonl",
    "agents/cfo/facts.json", "agents/cfo/facts.journal.jsonl", "agents/cfo/inbox.json",
    "agents/cfo/inbox.journal.jsonl", "agents/cfo/memory-store.json", "agents/cfo/memory-store.journal.jsonl",
    "agents/cfo/rules.json", "agents/cfo/rules/cash.rules", "agents/cfo/cases.json", "agents/cfo/effects.json",
    "agents/cfo/effects.journal.jsonl", "agents/cfo/perceived.json", "agents/cfo/MEMORY.md",
    "agents/cfo/memory/2026-01-05.md", "agents/cfo/memory/mabos-facts.md",
    "businesses/acme/business.json", "businesses/acme/stakeholder.json", "businesses/acme/decision-queue.json",
    "businesses/acme/decision-queue.journal.jsonl", "businesses/acme/metrics/metrics.json",
    "businesses/acme/work-packages.json", "businesses/acme/handoff-log.json", "businesses/acme/campaigns.json",
    "businesses/acme/content.json", "businesses/acme/pricing.json", "businesses/acme/archive.json",
    "businesses/acme/crm/contacts.json", "businesses/acme/crm/deals.json", "businesses/acme/mail/letters.json",
    "businesses/acme/graph.jsonl", "businesses/acme/workflows.json", "businesses/acme/workflows/w-1.bpmn",
    ".mabos/heads/cfo", ".mabos/index.sqlite", ".mabos/ledger.sqlite", ".mabos/graph/acme.sqlite",
    ".mabos/checkpoints.sqlite", ".mabos/stores/agents/cfo/facts.journal/facts.json.*",
    ".mabos/stores/agents/cfo/mind.journal/Beliefs.md.*",
)  # fmt: skip
"""One file of each kind, and of the kinds that hold most, several."""

SHARED = (
    "mabos.yaml",
    "stakeholder.json",
    "businesses/*",
    "ontologies/*",
    "contract-net/*",
    "*-queue.json",
    "inbox.json",
    "agents/*/inbox*",
)
"""Files that other agents also read or write; if one is damaged, their cycles may report it."""

LIMIT = 300.0
"""Seconds after which a day of commands counts as hung; a busy machine needs twenty, and its disk may stand still."""

PAGES = {
    "agents/cfo/memory-store.json": ("agents/cfo/MEMORY.md", "agents/cfo/memory/mabos-memory-items.md"),
    "agents/cfo/facts.json": ("agents/cfo/memory/mabos-facts.md",),
}
"""Files derived from another for people to read, which therefore follow its edits."""

DERIVED = ("agents/cfo/MEMORY.md", "agents/cfo/memory/mabos-*.md")
"""Pages that are written again from what they tell: nothing is lost with them."""

COMMANDS = (
    ("doctor",), ("business", "status", "acme"), ("run", "cfo"), ("run", "ceo"),
    ("memory", "recall", "churn", "--agent", "cfo"),
)  # fmt: skip
"""A day of commands; each may say what is damaged, none may fall over it."""


def template(folder: Path) -> Furnished:
    """Create a company with a file of every kind, some with journals that the snapshots lack."""
    company = furnished(folder)
    root = company.root
    (root / "mabos.yaml").write_text("# mine\ndurability: phase\nmemory:\n  embeddings: none\n")
    (root / "agents/cfo/rules").mkdir()
    (root / "agents/cfo/rules/cash.rules").write_text(
        "# Money is short\nRULE short-runway: Short runway\nIF ?company runway_months < 6\n"
        "THEN ?company needs_cash = true [confidence: 0.9]\n"
    )
    (root / "businesses/acme/inbox").mkdir(exist_ok=True)
    (root / "businesses/acme/inbox/figures.csv").write_text("date,mrr,cash\n2026-01-02,5000,310000\n")
    import_what_it_imports(lambda: worked(company.copy(folder / "warm")))
    assert child(lambda: worked(root, [("run", "cfo")])).said[0][1] == 0
    assert child(lambda: _left_open(root)).was_killed
    return company


def _left_open(root: Path) -> None:
    """Do what lies only in journals then: this process is killed before it closes anything."""
    with house(root, found=False) as home:
        fact = {"subject": "acme", "predicate": "rent", "confidence": 1, "source": "lease"}
        for number in range(3):
            assert call(
                home.services, "fact_assert", {**fact, "object": str(number)}, agent_id="cfo", key=f"k{number}"
            ).ok
            letter = {"to": "cfo", "performative": "INFORM", "content": f"Figure {number}"}
            assert call(home.services, "agent_message", letter, agent_id="ceo", key=f"m{number}").ok
            asked = {"subject": f"Buy {number}?", "description": "x", "options": ["yes", "no"]}
            assert call(home.services, "decision_request", asked, agent_id="cfo", key=f"d{number}").ok
            item = {"content": f"Thing {number}", "importance": 0.8}
            assert call(home.services, "memory_store_item", item, agent_id="cfo", key=f"i{number}").ok
            goal = {"level": "operational", "description": f"Do {number}", "goal_id": f"G-9{number}"}
            assert call(home.services, "goal_create", goal, agent_id="cfo", key=f"g{number}").ok
        os.kill(os.getpid(), 9)


def worked(root: Path, commands: Sequence[Sequence[str]] = COMMANDS) -> list[Any]:
    """Run commands in sequence; return the words, exit code, output and exception of each."""
    from click.testing import CliRunner

    from mabos.interfaces.cli import front

    told = []
    for words in commands:
        result = CliRunner().invoke(front, ["-w", str(root), *words], env={"MABOS_NOW": NOW}, prog_name="mabos")
        raised = "" if isinstance(result.exception, SystemExit | None) else repr(result.exception)
        told.append([" ".join(words), result.exit_code, result.stdout + result.stderr, raised])
    return told


def reported(root: Path, name: str) -> list[dict[str, Any]]:
    """Return the report of `mabos verify` on a file."""
    (_, _, said, raised), *_ = worked(root, [("--json", "verify")])
    if raised:
        return []
    try:
        answer = json.loads(said)
    except ValueError:
        answer = {"problems": [], "error": {"message": said}}
    problems = [one for one in answer.get("problems", []) if one["path"] == name]
    message = str(answer.get("error", {}).get("message", ""))
    return problems or ([{"path": name, "line": 1, "message": message}] if name in message else [])


def verdict(company: Furnished, place: Path, name: str, content: bytes, sound: dict[str, str]) -> str:
    """Return what becomes of a damage before anybody works with it: reported, healed, meant, or `silent: ...`."""
    root = damaged_copy(company, place, name, content)
    problems = child(lambda: reported(root, name)).said
    if problems:
        is_placed = any(one["line"] for one in problems) or not content.strip()
        return "reported" if is_placed else f"reported without its line: {problems[0]['message']}"
    try:
        lost = differences(child(lambda: state(root)).said, sound)
    except Exception as error:  # noqa: BLE001 - whatever reads this may fall over it, if only it had been reported
        return f"silent, though not to be read: {str(error).strip().splitlines()[-1]}"
    if any(fnmatch(name, one) for one in DERIVED) and lost in ([], [name]):
        return "made whole or not needed"
    beside = [one for one in lost if one not in (name, *PAGES.get(name, ()))]
    if beside or (lost and not may_be_meant(name, content)):
        return f"silent, though {', '.join(lost)} changed"
    return "taken as meant" if lost else "made whole or not needed"


def damaged_copy(company: Furnished, place: Path, name: str, content: bytes) -> Path:
    """Return a copy of the company with other bytes in one file."""
    root = company.copy(fresh(place))
    (root / name).write_bytes(content)
    return root


def faults(company: Furnished, place: Path, name: str, content: bytes, *, is_kept: bool) -> Iterator[str]:
    """Yield the faults when a company with a damaged file continues; `is_kept` checks for the bytes afterwards."""
    root = damaged_copy(company, place, name, content)
    is_shared = any(fnmatch(name, one) for one in SHARED)
    ended = child(lambda: worked(root), kill_after=LIMIT)
    if ended.was_killed:
        yield "the commands hang"
        return
    for words, code, said, raised in ended.said:
        if raised or "Traceback" in said:
            yield f"`{words}` falls over it: {raised or said[-300:]}"
        if words == "run ceo" and code and not (is_shared and Path(name).name in said):
            yield f"another agent cannot go on: {said.strip()[-300:]}"
    if is_kept and not _is_still_there(root, name, content):
        yield "what was damaged is gone"


def _is_still_there(root: Path, name: str, content: bytes) -> bool:
    path = root / name
    now = path.read_bytes() if path.is_file() else b""
    whole, ended, torn = content.rpartition(b"\n")
    if now.startswith(content.rstrip(b"\n")):
        return True
    if now.startswith(whole + ended) and json.dumps(torn.decode("utf-8", "backslashreplace")).encode() in now:
        return True  # what was left of the last line is told in an entry of its own
    return any(content in one.read_bytes() for one in root.rglob("*") if one.is_file())


def targets(company: Furnished) -> list[str]:
    """Return the existing files among those to damage."""
    found = (sorted(company.root.glob(pattern)) for pattern in FILES)
    return [str(paths[0].relative_to(company.root)) for paths in found if paths]


def campaign(rounds: int, *, seed: int = 0, only: str = "*", sample: int = 0, say: bool = False) -> Row:
    """Return the findings from damaging every kind of file in every way; only `sample` trials if given."""
    luck, tally, verdicts = random.Random(seed), Tally(say), Counter[str]()
    os.environ["MABOS_FORBID_MODEL"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = template(place)
        warmed(company, place / "warm")
        sound = child(lambda: state(company.copy(place / "sound"))).said
        names = [name for name in targets(company) if fnmatch(name, only)]
        trials = [(name, how) for name in names for how in DAMAGES for _ in range(rounds)]
        for name, how in luck.sample(trials, sample) if sample else trials:
            content = DAMAGES[how]((company.root / name).read_bytes(), luck)
            said = verdict(company, place / "trial", name, content, sound)
            is_kept = said == "reported"
            found = [*faults(company, place / "trial", name, content, is_kept=is_kept)]
            found += [said] * (said not in ("reported", "taken as meant", "made whole or not needed"))
            tally.add(f"{name}, {how}", 1, found)
            verdicts[said.partition(",")[0].partition(":")[0]] += 1
    told = ", ".join(f"{count} {what}" for what, count in sorted(verdicts.items()))
    return tally.row(f"every kind of file damaged ({told})")


def main() -> int:
    """Run the campaign and print its findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--only", default="*")
    given = parser.parse_args()
    return campaign(given.rounds, seed=given.seed, only=given.only, sample=given.sample, say=True).told()


if __name__ == "__main__":
    sys.exit(main())
