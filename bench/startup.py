"""The startup time of a command, compared with importing LangGraph: `python -m bench.startup`.

Every command is a separate process in a workspace with one business, timed alternately with `python -c 'import
langgraph.graph'`; files are in the operating system's cache, and everything is compiled in advance, as in an
installation. The child's CPU time is compared, since it is stable on a busy machine. Commands that run no agent must
not wait for LangGraph; one that runs a cycle needs it, and more.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.measured import Line, Spent, exactly, middle
from bench.printed import printed

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5
PEER = ("-c", "import langgraph.graph")
PEER_NAME = "python -c 'import langgraph.graph'"
HELPED, OTHERS = 1 / 3, 1.0
"""The time allowed for the help and other commands without agents, as a share of importing LangGraph."""
TOOLS: tuple[str, ...] = ("tools",)
TOOLS_KNOWN = 1.3
"""The time allowed for listing the tools until its target is met: it imports whatever any of them needs."""
COMMANDS: tuple[tuple[str, ...], ...] = (
    TOOLS,
    ("business", "list"),
    ("mind", "cfo"),
    ("memory", "status"),
    ("decisions", "list"),
    ("verify", "ledger"),
    ("call", "belief_get", "{}", "--agent", "cfo"),
)
HELP: tuple[str, ...] = ("--help",)
CYCLE: tuple[str, ...] = ("run", "cfo")


def spent(arguments: Sequence[str], folder: Path) -> float:
    """Return the CPU milliseconds of a Python process from start to end."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), **environment, "PYTHONPATH": str(ROOT)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def by_turns(commands: Sequence[Sequence[str]], folder: Path, rounds: int) -> list[Spent]:
    """Return the time of each command, measured alternately after one run."""
    found: list[list[float]] = [[] for _ in commands]
    for command in commands:
        spent(command, folder)
    for _ in range(rounds):
        for taken, command in zip(found, commands, strict=True):
            taken.append(spent(command, folder))
    return [middle(taken) for taken in found]


def lines(scale: int) -> Iterator[Line]:
    """Yield the time of each command as a share of importing LangGraph."""
    rounds = ROUNDS if scale == 1 else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = ("business", "create", "acme", "--name", "Acme", "--template", "saas")
        for command in (("init", "workspace"), made):
            spent(("-m", "mabos", *command), folder)
        shown = [HELP, *COMMANDS, CYCLE] if scale == 1 else [HELP, COMMANDS[0]]
        asked = [PEER, ("-c", "pass"), *(("-m", "mabos", *command) for command in shown)]
        peer, empty, *taken = by_turns(asked, folder, rounds)
    for words, cost in zip(shown, taken, strict=True):
        most = HELPED if words == HELP else OTHERS if words in COMMANDS else None
        told = f"mabos {' '.join(words)}"
        note = f"{cost.median:.0f} and {peer.median:.0f} ms of the processor"
        known = TOOLS_KNOWN if words == TOOLS else None
        yield Line(told, cost.over(peer), most=most, unit="x", beside=PEER_NAME, note=note, known=known)
    yield Line("python -c pass", exactly(empty.median))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
