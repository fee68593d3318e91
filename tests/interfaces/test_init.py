"""`mabos init`, and where a workspace may be."""

from pathlib import Path

import pytest
import yaml

from mabos.configs.errors import MabosError
from mabos.configs.settings import DEFAULTS, load_settings
from mabos.interfaces.facade import open_workspace
from mabos.interfaces.places import FOLDERS, commented_settings, prepare
from tests.interfaces.command_line import answer, mabos


def test_a_new_workspace_has_its_folders_and_commented_settings(tmp_path: Path) -> None:
    place = tmp_path / "company"
    result = mabos("init", str(place))
    assert all((place / folder).is_dir() for folder in FOLDERS)
    assert (place / "mabos.yaml").is_file()
    assert "business create" in result.stdout


def test_init_twice_changes_nothing(tmp_path: Path) -> None:
    mabos("init", str(tmp_path))
    (tmp_path / "mabos.yaml").write_text("durability: each\n", "utf-8")
    assert answer("init", str(tmp_path))["created"] == []
    assert load_settings(tmp_path).durability == "each"


def test_the_settings_of_a_new_workspace_are_the_defaults(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert load_settings(tmp_path) == load_settings()


def test_the_commented_settings_say_what_the_defaults_say_once_uncommented() -> None:
    body = commented_settings().split("\n\n", 1)[1]
    uncommented = "\n".join(line.removeprefix("# ") for line in body.splitlines())
    wanted = yaml.safe_load(DEFAULTS.read_text("utf-8"))
    prose = [line for line in DEFAULTS.read_text("utf-8").splitlines() if line.startswith("# ")]
    for line in prose:
        uncommented = uncommented.replace(line.removeprefix("# "), "")
    assert yaml.safe_load(uncommented) == wanted


def test_a_source_package_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()
    result = mabos("init", str(tmp_path), code=1)
    assert "is a Python package" in result.stderr
    assert "--workspace my-company" in result.stderr
    assert result.stdout == ""


def test_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.touch()
    assert "is a file" in mabos("init", str(file), code=1).stderr


COMMANDS = (
    *("business list", "mind cfo", "memory status", "run cfo", "live --once", "heartbeat", "decisions"),
    *("serve --http 127.0.0.1:0", "mcp", "dashboard --http 127.0.0.1:0", "studio --no-browser", "verify", "rebuild"),
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("is_folder", [False, True], ids=["nothing", "a folder of something else"])
def test_a_mistyped_workspace_is_answered_with_the_command_that_makes_one(
    command: str, is_folder: bool, tmp_path: Path
) -> None:
    place = tmp_path / "none"
    if is_folder:
        (place / "photographs").mkdir(parents=True)
    result = mabos(*command.split(), workspace=place, code=1)
    assert result.stderr.splitlines() == [f"mabos: no workspace in {place}; make one with: mabos init {place}"]
    assert [one.name for one in place.glob("*")] == (["photographs"] if is_folder else [])


def test_a_call_of_an_operation_makes_no_workspace_either(tmp_path: Path) -> None:
    error = answer("call", "business_list", workspace=tmp_path / "none", code=1)["error"]
    assert (error["code"], error["argument"]) == ("unknown_id", "workspace")
    assert not (tmp_path / "none").exists()


def test_a_first_business_makes_its_workspace_and_says_so(tmp_path: Path) -> None:
    create = ("business", "create", "acme", "--name", "Acme", "--template", "saas")
    assert f"made a workspace in {tmp_path / 'new'}" in mabos(*create, workspace=tmp_path / "new").stderr


def test_an_error_is_json_when_json_is_asked_for(tmp_path: Path) -> None:
    error = answer("business", "list", workspace=tmp_path / "none", code=1)
    assert error["ok"] is False
    assert error["error"]["code"] == "unknown_id"
    assert error["error"]["argument"] == "workspace"


@pytest.mark.parametrize(
    ("path", "code"), [("", "invalid_argument"), ("x" * 300, "unavailable"), ("/proc/x", "unavailable")]
)
def test_a_path_that_can_be_no_workspace_is_refused_in_python_too(path: str, code: str) -> None:
    with pytest.raises(MabosError) as refused:
        open_workspace(path)
    assert refused.value.code == code
