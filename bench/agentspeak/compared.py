"""The programs given to both MABOS and python-agentspeak, and our results on them."""

import json
from pathlib import Path

from bench.agentspeak import Scheduler, program

HERE = Path(__file__).parent
TRACES = HERE / "traces.json"
PEER = HERE / "peer.py"
FAILED = ["*", "failed"]


def programs() -> dict[str, list[list[str]]]:
    """Return each program's agents with their texts, by the program's name."""
    return {path.stem: agents_of(path.stem, path.read_text("utf-8")) for path in sorted(HERE.glob("programs/*.asl"))}


def agents_of(name: str, text: str) -> list[list[str]]:
    """Return the agents of a program: one, or as many as lines `// agent: NAME` say."""
    agents: list[list[str]] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("// agent: "):
            agents.append([line.removeprefix("// agent: ").strip(), ""])
            continue
        if not agents:
            agents.append(["solo", ""])
        agents[-1][1] += line
    return agents


def recorded() -> dict[str, list[list[str]]]:
    """Return the recorded traces of python-agentspeak."""
    traces: dict[str, list[list[str]]] = json.loads(TRACES.read_text("utf-8"))
    return traces


def traced(agents: list[list[str]]) -> list[list[str]]:
    """Return the agents' output in our world, in order, with failures."""
    trace: list[list[str]] = []
    world = Scheduler(
        told=lambda name, text: trace.append([name, text]), lost=lambda _name, _what, _why: trace.append(FAILED)
    )
    for name, text in agents:
        world.add(name, program(text))
    world.run()
    return trace
