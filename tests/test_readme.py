"""What the README and pages of docs/ show is true: their commands run in a folder of their own and answer as printed.

Blocks marked `console` are run line by line in one shell folder; what stands below a command must be in its answer,
apart from ids and from lines cut with `…`. Blocks marked `python` are run after them. Blocks marked `sh` are the ones
that install, fetch or stay: their make targets must exist, and `make demo` is run from a copy of the source. What the
commands leave in a workspace must be listed in docs/files.md. Their `mabos` has its imports
done, see `tests/warm.py`; tests/test_wheel.py starts it from nothing.
"""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests import warm
from tests.documented_files import unlisted, workspaces

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
RUN_ELSEWHERE = {"surfaces"}  # tests/interfaces/surfaces/test_page.py
OWN_MODEL = "OPENAI_BASE_URL=http://127.0.0.1:"  # a page that says so starts a model of its own, and may ask it
PORT = "8099"  # of a server that a page starts; a free one is taken in its place
NOW = "2026-02-24T09:00:00Z"
_ID = re.compile(r"\b[A-Z][A-Za-z]*-(?:…|(?:[\w.]+-)*\w+\b)")
_NEXT = "-- next command --"


def blocks(language: str, text: str = README) -> list[str]:
    """Return the code blocks of a text in `language`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


@dataclass
class Shown:
    """A command of a document, and the answer printed below it."""

    command: str
    lines: list[str] = field(default_factory=list)


def shown(text: str) -> list[Shown]:
    """Return the commands of the console blocks with their printed answers."""
    found: list[Shown] = []
    for line in "".join(blocks("console", text)).splitlines():
        if line.startswith("$ "):
            found.append(Shown(line.removeprefix("$ ")))
        elif line.startswith("> "):
            found[-1].command += "\n" + line.removeprefix("> ")
        elif line.strip():
            found[-1].lines.append(line)
    return found


def plain(text: str) -> str:
    """Return a line without ids and with single spaces."""
    return " ".join(_ID.sub("ID", text).split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return equip(tmp_path_factory.mktemp("readme"))


def equip(made: Path) -> Path:
    """Return a folder in which `mabos` is this source."""
    (made / "bin").mkdir()
    for name, words in {"mabos": warm.mabos(), "python": warm.python()}.items():
        script = made / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', "utf-8")
        script.chmod(0o755)
    (made / "examples").symlink_to(ROOT / "examples")
    return made


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script in `folder`, where `mabos` is this source; standard error goes to standard output.

    What it leaves running is ended with it, since its output would be waited for.
    """
    script = f"trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{script}"
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "MABOS_NOW": NOW}
    if OWN_MODEL in script:
        environment.pop("MABOS_FORBID_MODEL", None)
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_the_tour_answers_as_printed(folder: Path) -> None:
    answers_as_printed(README, folder)


def shows_something(text: str) -> bool:
    """Return whether a page shows commands or programs."""
    return bool(blocks("console", text) or blocks("python", text))


@pytest.mark.parametrize("page", [one for one in TEXTS if shows_something(TEXTS[one]) and one not in RUN_ELSEWHERE])
def test_a_page_of_the_documentation_answers_as_printed_and_leaves_only_listed_files(page: str, tmp_path: Path) -> None:
    folder = equip(tmp_path)
    if blocks("console", TEXTS[page]):
        answers_as_printed(with_free_port(TEXTS[page]), folder)
    for number, block in enumerate(blocks("python", TEXTS[page])):
        script = folder / f"block_{number}.py"
        script.write_text(block, "utf-8")
        done = run(f"python {script}", folder)
        assert done.returncode == 0, f"{block}\n{done.stdout}"
    assert [(one.name, found) for one in workspaces(folder) if (found := unlisted(one))] == []


def test_what_docs_show_is_a_command_with_its_answer_a_program_or_says_that_it_is_neither() -> None:
    known = {"console", "python", "py", "sh", "text", "yaml", "json", "xml", "markdown", "cypher", "bpmn"}
    fences = {(page, found) for page, text in TEXTS.items() for found in re.findall(r"^```(.*)$", text, re.MULTILINE)}
    assert {(page, language) for page, language in fences if language and language not in known} == set()


def with_free_port(text: str) -> str:
    """Return a page whose server listens where nothing else does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return text.replace(PORT, str(probe.getsockname()[1]))


def wait_for_server(command: str) -> str:
    """Return what waits until a server listens that a command starts, as who reads the next line does."""
    waits = r"for _ in $(seq 600); do (: < /dev/tcp/127.0.0.1/\1) 2> /dev/null && break; sleep 0.1; done"
    return re.sub(r".*\b(\d{4,5})\b.*&$", waits, command) if command.endswith("&") else ""


def answers_as_printed(text: str, folder: Path) -> None:
    """Run the commands of a document in a folder; what is printed below each must be in its answer."""
    steps = shown(text)
    assert steps, "the document shows no command"
    done = run("".join(f"echo '{_NEXT}'\n{step.command}\n{wait_for_server(step.command)}\n" for step in steps), folder)
    assert done.returncode == 0, done.stdout
    for step, answered in zip(steps, done.stdout.split(f"{_NEXT}\n")[1:], strict=True):
        lines = [plain(line) for line in answered.splitlines()]
        for line in step.lines:
            start = plain(line).partition("…")[0].strip()
            assert any(start in one for one in lines), f"$ {step.command}\nprinted: {line}\nanswered:\n{answered}"


def test_the_python_of_the_readme_runs(folder: Path, tmp_path: Path) -> None:
    shown_twice = [*blocks("python"), blocks("python")[0]]  # who runs the first again is not met by a traceback
    for number, block in enumerate(shown_twice):
        script = tmp_path / f"block_{number}.py"
        script.write_text(block, "utf-8")
        done = run(f"{'python' if number else sys.executable} {script}", folder)
        assert done.returncode == 0, f"{block}\n{done.stdout}"


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    everything = "\n".join((README, *TEXTS.values(), (ROOT / "CONTRIBUTING.md").read_text("utf-8")))
    named = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", everything, flags=re.MULTILINE))
    assert {"demo", "test", "check"} <= named
    assert named <= targets


def test_every_file_that_is_linked_exists() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.slow
def test_a_fresh_clone_shows_its_first_weeks_with_make_demo(tmp_path: Path) -> None:
    copy = tmp_path / "mabos"
    foreign = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache*", "demo", "dist", "build")
    shutil.copytree(ROOT, copy, ignore=foreign)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MABOS_", "PYTHON", "MAKE"))
    }
    done = subprocess.run(
        ["make", "demo", "WEEKS=2"],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((copy / "demo").rglob("report.md")), "the report is missing"
    assert list((copy / "demo").rglob("report.html"))
