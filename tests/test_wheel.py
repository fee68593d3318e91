"""The wheel that is built from this source, in an environment of its own: nothing is missing, nothing is stray."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from mabos.graphs.live.presence import presence
from mabos.workspace.names import Layout

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


def run(*command: str, folder: Path) -> str:
    """Run a command outside the source, and return its standard output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MABOS_"))}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    """Return the wheel that is built from the source distribution, which is built from this folder."""
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), folder=folder)
    return next(folder.glob("mabos-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of scripts of an environment that holds the wheel and what it depends on, and nothing else."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    scripts = home / "bin"
    pip = (sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--quiet")
    run(*pip, "--no-compile", str(wheel), folder=home)  # what is imported is compiled then; most of it never is
    return scripts


def test_the_wheel_holds_one_package_with_its_data_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in names} == {"mabos"}
    assert "mabos/py.typed" in names
    folders = [path for path in (ROOT / "mabos").iterdir() if path.is_dir() and path.name != "__pycache__"]
    sources = [path for path in (ROOT / "mabos").iterdir() if path.is_file()]
    sources += [path for folder in folders for path in folder.resolve().rglob("*") if path.is_file()]
    expected = {str(path.relative_to(ROOT)) for path in sources if path.suffix != ".pyc"}
    assert {name if name.count("/") == 1 else name.removeprefix("mabos/") for name in names} == expected


def test_the_installed_wheel_makes_a_company(installed: Path, tmp_path: Path) -> None:
    mabos = str(installed / "mabos")
    assert "business" in run(mabos, "--help", folder=tmp_path)
    assert "mabos 0." in run(mabos, "--version", folder=tmp_path)
    run(mabos, "init", "company", folder=tmp_path)
    create = ("business", "create", "acme", "--name", "Acme", "--template", "saas", "--workspace", "company")
    run(mabos, *create, folder=tmp_path)
    assert (tmp_path / "company" / "agents" / "cfo" / "Persona.md").is_file()
    assert "belief_get" in run(mabos, "tools", "--workspace", "company", folder=tmp_path)


OWN = ("nodes", "graphs", "memory", "knowledge", "configs", "workspace", "mind", "society", "backends", "interfaces")
"""Packages that a project has of its own beside a module `tools`, all under names of folders of MABOS."""

PROGRAM = """
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import mabos
from mabos import open_workspace
from mabos.interfaces.studio import MACHINES

import tools
from nodes import NAME

with open_workspace("company") as company:
    company.create_business("acme", name="Acme", template="saas")
    assert company.agent("cfo").run(message="Review our runway").ok
for machine in MACHINES:
    import_module(f"mabos.graphs.{machine}")
assert (tools.NAME, NAME) == ("tools", "nodes")
home, names = Path(mabos.__file__).parent, defaultdict(set)
for name, module in list(sys.modules.items()):
    file = getattr(module, "__file__", None)
    if file and Path(file).is_relative_to(home):
        names[file].add(name)
assert len(names) > 100
print([sorted(found) for found in names.values() if len(found) > 1 or not min(found).startswith("mabos")])
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the folder of a project whose own modules note in a file that they were imported."""
    noting = "from pathlib import Path\n\nNAME = __name__\nPath('imported').open('a').write(f'{NAME}\\n')\n"
    (tmp_path / "tools.py").write_text(noting, "utf-8")
    for name in OWN:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(noting, "utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    return tmp_path


def test_a_project_with_modules_of_the_same_names_uses_both_its_own_and_ours(installed: Path, project: Path) -> None:
    assert run(str(installed / "python"), "program.py", folder=project).strip() == "[]", "loaded under two names"
    assert (project / "imported").read_text("utf-8").split() == ["tools", "nodes"]


def test_commands_in_a_project_with_modules_of_the_same_names_use_ours(installed: Path, project: Path) -> None:
    mabos = (str(installed / "python"), "-m", "mabos")
    create = ("business", "create", "acme", "--name", "Acme", "--template", "saas", "--workspace", "company")
    run(*mabos, "init", "company", folder=project)
    run(*mabos, *create, folder=project)
    assert "learn" in run(*mabos, "run", "cfo", "--workspace", "company", folder=project)
    run(str(installed / "mabos"), "simulate", "saas", "--weeks", "1", "--out", "quarter", folder=project)
    assert (project / "quarter" / "report.md").is_file()
    assert not (project / "imported").exists(), "a module of the project was taken for one of ours"


def test_a_developers_afternoon_ends_with_an_agent_in_a_graph_of_their_own(installed: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    files = re.findall(r"^```py\n# (\S+)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["tools.py", "nodes/greet.py", "keeper.py", "shop.py"]
    for name, text in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    told = run(str(installed / "python"), "shop.py", folder=tmp_path).splitlines()
    assert told[0] == "{'greet': {'greeting': 'Good day, Ana.'}}"
    assert "units_on_shelf" in told, "the agent has looked"
    assert told[-1] == "{'keeper': {'answer': 'We have 12 units of tea.'}}"
    assert (tmp_path / "shop" / "roles" / "keeper.yaml").is_file()


def test_the_steps_of_the_image_end_in_a_live_company_and_a_dashboard(wheel: Path, tmp_path: Path) -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    image = dict(re.findall(r"^(ARG EXTRAS|ENTRYPOINT|CMD|STOPSIGNAL)[ =](.+)$", text, re.MULTILINE))
    venv.create(tmp_path / "image", with_pip=False)
    scripts = tmp_path / "image" / "bin"
    pip = (sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--quiet")
    run(*pip, "--no-compile", f"{wheel}[{image['ARG EXTRAS']}]", folder=tmp_path)
    mabos = (str(scripts / json.loads(image["ENTRYPOINT"])[0]), "--workspace", str(tmp_path / "workspace"))
    run(*mabos, "init", folder=tmp_path)
    run(*mabos, "business", "create", "acme", "--name", "Acme", "--template", "saas", folder=tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    commands = [json.loads(image["CMD"]), ["dashboard", "--http", f"127.0.0.1:{port}"]]
    running = [subprocess.Popen([*mabos, *command], cwd=tmp_path) for command in commands]
    try:
        get = f"curl -sSL -c {os.devnull} --retry 90 --retry-connrefused --retry-delay 1 http://127.0.0.1:{port}/"
        assert "acme" in run(*get.split(), folder=tmp_path)
        assert [one.poll() for one in running] == [None, None]
        assert presence(Layout(tmp_path / "workspace")) is not None
    finally:
        for one in running:
            one.send_signal(getattr(signal, image["STOPSIGNAL"]))
    assert [one.wait(120) for one in running] == [0, 0]
