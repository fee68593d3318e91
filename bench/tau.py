"""MABOS as the agent of tau2-bench: `python -m bench.tau --source DIR [--domain retail] [--tasks 10]`.

A scripted model replays the ground truth of each task: one tool call an answer, through real work sessions. Before each
changing call the customer orders it, with every value, as the gate requires. Values to report are calculated first,
because unsupported statements are not sent. Then the benchmark's own evaluation compares the databases. This tests the
path, not a model's ability.

    python -m bench.tau --source ../tau2-bench --site ../packages
    python -m bench.tau --source ../tau2-bench --by-hand FOLDER --domain airline --task 3     # you are the model
"""

import json
import re
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.tau_by_hand import ByHand
from bench.tau_desk import Desk, Talk
from bench.tau_domain import DOMAINS, Domain, Domains, Played, Verdict
from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel, ToolUse
from mabos.tools.work.loop import TAG

NEXT, REPORT = "What should I do next?", "That is all on record for you."
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_TURNS = 40


@dataclass(frozen=True)
class TrueAction:
    """One call of the ground truth."""

    name: str
    arguments: dict[str, Any]
    writes: bool = False

    @property
    def order(self) -> str:
        """Return the customer's order for it, with every value."""
        values = "; ".join(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in self.arguments.items())
        return f"Please {self.name.replace('_', ' ')} with {values}."


class Script:
    """The answers of a model that follows the ground truth, and of a customer who orders its changes."""

    def __init__(self, actions: Sequence[TrueAction], told: Sequence[str]) -> None:
        figures = [TrueAction("calculate", {"expression": one}) for one in told if _FIGURE.fullmatch(one)]
        self._actions, self._told = [*actions, *figures], told
        self._is_ordered = False

    @property
    def is_over(self) -> bool:
        """Whether no calls are left."""
        return not self._actions

    def customer(self) -> str:
        """Return the customer's next request."""
        self._is_ordered = True
        return self._actions[0].order

    def answer(self, call: ScriptedCall) -> Reply:
        """Return the next call, a question if the customer has not ordered it, or the report."""
        if call.tag != TAG:
            return ""
        if not self._actions:
            return " ".join([REPORT, *self._told])
        if self._actions[0].writes and not self._is_ordered:
            return NEXT
        action = self._actions.pop(0)
        self._is_ordered = False
        return ToolUse("", action.name, action.arguments)


def true_actions(task: Any, played: Played) -> list[TrueAction]:
    """Return the ground truth of a task."""
    kit = played.environment.tools
    return [
        TrueAction(one.name, dict(one.arguments), bool(kit.tool_mutates_state(one.name)))
        for one in task.evaluation_criteria.actions or ()
    ]


def replayed(domain: Domain, task: Any, root: Path) -> tuple[Verdict, Talk]:
    """Return the verdict on a task with replayed ground truth, and the conversation."""
    played = domain.play()
    script = Script(true_actions(task, played), task.evaluation_criteria.communicate_info or ())
    with Desk(root, played.tools, domain.policy).opened(ScriptedModel(script.answer)) as talk:
        played.said(talk.say(opening(task)))
        for _ in range(_TURNS):
            if script.is_over:
                break
            played.said(talk.say(script.customer()))
        waits = [one.subject for one in talk.waiting()]
    verdict = domain.verdict(task, played)
    if waits:
        talk.turns.append(("waits", "; ".join(waits)))
    return verdict, talk


def opening(task: Any) -> str:
    """Return the customer's first words: everything in the task, as from a forthcoming customer."""
    said = task.user_scenario.instructions
    parts = [getattr(said, name, "") for name in ("reason_for_call", "known_info", "task_instructions")]
    return "\n".join(str(one) for one in parts if one) or str(said)


def main() -> int:
    """Replay, or play one task by hand; exit code 1 if a replayed task fails."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True, help="the folder of tau2-bench")
    parser.add_argument("--site", type=Path, help="a folder with the packages it needs, as pip --target makes")
    parser.add_argument("--domain", choices=DOMAINS, help="only this one")
    parser.add_argument("--tasks", type=int, help="only the first so many of each domain")
    parser.add_argument("--task", help="only the task with this id")
    parser.add_argument("--by-hand", type=Path, metavar="FOLDER", help="play a task as the model and the customer")
    parser.add_argument("--talk", action="store_true", help="print the conversations of what fails")
    chosen = parser.parse_args()
    domains = Domains(chosen.source.resolve(), chosen.site)
    failed = 0
    for name in [chosen.domain] if chosen.domain else DOMAINS:
        domain = domains.domain(name)
        tasks = [one for one in domain.tasks if chosen.task in (None, one.id)][: chosen.tasks]
        if chosen.by_hand:
            for task in tasks:
                _by_hand(domain, task, chosen.by_hand)
        else:
            failed += _replay(domain, tasks, chosen)
    return 1 if failed else 0


def _replay(domain: Domain, tasks: Sequence[Any], chosen: Namespace) -> int:
    passed = told = 0
    with TemporaryDirectory() as folder:
        for task in tasks:
            verdict, talk = replayed(domain, task, Path(folder) / f"{domain.name}-{task.id}")
            passed += verdict.passed
            told += verdict.has_told
            if not verdict.passed or not verdict.has_told:
                _print(domain, task, verdict, talk if chosen.talk else None)
    print(f"{domain.name}: {passed} of {len(tasks)} passed; {told} of {len(tasks)} told all that had to be told")
    return len(tasks) - passed


def _by_hand(domain: Domain, task: Any, folder: Path) -> None:
    """Play one task with a model and a customer whose words come from files."""
    played = domain.play()
    hand = ByHand(folder / f"{domain.name}-{task.id}")
    hand.show("scenario", str(task.user_scenario))
    with Desk(hand.folder / "workspace", played.tools, domain.policy).opened(hand) as talk:
        words = opening(task) if hand.opens else hand.customer("")
        while words:
            played.said(talk.say(words))
            words = hand.customer(talk.turns[-1][1])
        waits, effects = [one.subject for one in talk.waiting()], talk.effects()
    verdict = domain.verdict(task, played)
    report = {**vars(verdict), "passed": verdict.passed, "waits": waits, "effects": effects, "turns": talk.turns}
    hand.show("verdict", json.dumps(report, indent=1, ensure_ascii=False))
    _print(domain, task, verdict, None)


def _print(domain: Domain, task: Any, verdict: Verdict, talk: Talk | None) -> None:
    said = "passed" if verdict.passed else "FAILED"
    print(
        f"{domain.name} {task.id}: {said}; database {verdict.has_database}, live {verdict.is_live_equal}, "
        f"not told {list(verdict.missing)}, for a judge {len(verdict.unjudged)}",
        flush=True,
    )
    for who, words in talk.turns if talk else ():
        print(f"  {who}: {words}")


def _plain(value: Any) -> str:
    """Return a value as people write it: no quotation marks, which would make it another's words."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_plain(one)}" for name, one in value.items())
    if isinstance(value, list):
        return " and ".join(_plain(one) for one in value)
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
