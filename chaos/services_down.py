"""Faulty servers in place of good ones: `python -m chaos.services_down`.

The chat model, the embedder, Chroma and Neo4j in turn refuse, hang, return garbage or die while answering, on a port of
this machine, and a typical day of commands is run. Every command must do its work without the service and finish
without a traceback; it reports the missing server at most once, and `mabos doctor` names it. No server may be called
without limit.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any

from chaos.children import child, import_what_it_imports
from chaos.damage import worked
from chaos.furnished import fresh, furnished, unsound
from chaos.neighbours import MANNERS, Manner, Neighbour, neighbour
from chaos.tally import Row, Tally
from tests.tools.catalogue.conftest import Furnished

PATIENCE = 0.5
"""Seconds that a server is given where settings say so."""
LIMIT = 240.0
"""Seconds after which a day of commands counts as hung; a busy machine needs a tenth of it."""
AT_ONCE = 4
"""Days at a time: they wait more than they work."""
KNOCKS = 40
"""The maximum number of requests to a failing server in a day of commands."""

SERVICES: Mapping[str, Mapping[str, str]] = {
    "model": {"OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "sk-none", "OPENAI_MODEL": "none"},
    "embedder": {"OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "sk-none"},
    "chroma": {"CHROMA_ENDPOINT": "http://127.0.0.1:{port}"},
    "neo4j": {"NEO4J_URI": "bolt://127.0.0.1:{port}", "NEO4J_PASSWORD": "none"},
}
"""The setting of each server for a command."""

SETTINGS: Mapping[str, str] = {
    "model": "models:\n  active: openai\n  profiles:\n    openai:\n      timeout_s: {patience}\n      max_retries: 1\n",
    "embedder": "memory:\n  embeddings: openai\nmodels:\n  active: none\n  embedding:\n    base_url: http://127.0.0.1:{port}/v1\n"
    "    timeout_s: {patience}\n    max_retries: 1\n",
    "chroma": "memory:\n  vectors: chroma\n",
    "neo4j": "",
}

COMMANDS = (
    ("doctor",), ("run", "cfo", "--message", "Review our runway"), ("memory", "recall", "churn", "--agent", "cfo"),
    ("call", "graph_query", '{"query": "goal_tree", "root": "G-1"}', "--agent", "cfo"), ("business", "status", "acme"),
    ("heartbeat",), ("verify",),
)  # fmt: skip
WORKS = {"run", "memory", "heartbeat", "business", "verify"}
"""Commands that must be done whatever is missing."""


def day(root: Path, service: str, port: int) -> list[Any]:
    """Run the commands with a service at that port; return the result of each."""
    os.environ.pop("MABOS_FORBID_MODEL", None)
    os.environ.update({name: value.format(port=port) for name, value in SERVICES[service].items()})
    (root / "mabos.yaml").write_text("durability: phase\n" + SETTINGS[service].format(port=port, patience=PATIENCE))
    return worked(root, COMMANDS)


def faults(told: list[Any], service: str, port: int) -> Iterator[str]:
    """Yield the faults in the commands' output."""
    for words, code, said, raised in told:
        name = words.split()[0]
        if raised or "Traceback" in said:
            yield f"`{words}` falls over it: {raised or said[-400:]}"
        if code and name in WORKS:
            yield f"`{words}` does not do its work: {said[-300:]}"
        lines = [line for line in said.splitlines() if f":{port}" in line]
        if len(lines) > 1 and name != "doctor":
            yield f"`{words}` says it {len(lines)} times: {lines[:2]}"
        if name == "doctor" and not lines:
            yield f"`doctor` does not name the {service}: {said[-1500:]}"


def trial(company: Furnished, place: Path, service: str, manner: Manner) -> tuple[Neighbour, list[str]]:
    """Return the server with its connection count, and the faults."""
    root = company.copy(fresh(place))
    with neighbour(manner) as server:
        ended = child(lambda: day(root, service, server.port), kill_after=LIMIT)
        if ended.was_killed:
            return server, ["the commands hang"]
        found = list(faults(ended.said, service, server.port))
    if server.knocks > KNOCKS:
        found.append(f"asked {server.knocks} times")
    return server, found + [f"damaged: {one}" for one in child(lambda: unsound(root)).said]


def campaign(*, services: tuple[str, ...] = (), manners: tuple[Manner, ...] = MANNERS, say: bool = False) -> Row:
    """Return the effect of each faulty server on a company."""
    tally = Tally(say)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        company = furnished(place)
        import_what_it_imports(lambda: worked(company.copy(place / "warm"), COMMANDS))
        cases = [(service, manner) for manner in manners for service in services or tuple(SERVICES)]

        def tried(case: tuple[str, Manner]) -> tuple[Neighbour, list[str], float]:
            begun = monotonic()
            return *trial(company, place / "-".join(case), *case), monotonic() - begun

        with ThreadPoolExecutor(AT_ONCE) as pool:
            for case, (server, found, seconds) in zip(cases, pool.map(tried, cases), strict=True):
                if say:
                    print(f"{' '.join(case)}: {server.knocks} knocks, {seconds:.1f} s", flush=True)
                tally.add(" ".join(case), server.knocks, found)
    return tally.row("model, embedder, Chroma and Neo4j refusing, hanging, talking nonsense, dying in an answer")


def main() -> int:
    """Run the campaign and print its findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("services", nargs="*", choices=[[], *SERVICES])
    given = parser.parse_args()
    return campaign(services=tuple(given.services), say=True).told()


if __name__ == "__main__":
    sys.exit(main())
