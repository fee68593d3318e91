"""Settings merge, complain clearly, and keep secrets to themselves."""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.configs.settings import DEFAULTS, environment, load_settings
from mabos.configs.yaml_file import read_yaml


def workspace(tmp_path: Path, text: str) -> Path:
    (tmp_path / "mabos.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_workspace_without_a_file_has_the_documented_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)
    assert settings.memory.working_capacity == 7
    assert settings.memory.short_term_capacity == 200
    assert settings.memory.short_term_ttl_hours == 2
    assert settings.beliefs.conflict_threshold == 0.6
    assert settings.beliefs.chunk_size == 50
    assert settings.commitment.open_minded_stall_days == 7
    assert settings.commitment.cautious_stall_days == 3
    assert settings.heartbeat.minutes == 30
    assert settings.governance.approval_threshold_usd == 5000
    assert settings.checkpoints.keep == 50
    assert settings.durability == "phase"


def test_a_workspace_changes_only_what_it_names(tmp_path: Path) -> None:
    changed = load_settings(workspace(tmp_path, "memory:\n  working_capacity: 9\ndurability: each\n"))
    assert changed.memory.working_capacity == 9
    assert changed.durability == "each"
    assert changed.memory.short_term_capacity == load_settings().memory.short_term_capacity


@pytest.mark.parametrize("written", ["off", '"off"'])
def test_off_means_what_the_page_says_though_yaml_reads_it_as_false(tmp_path: Path, written: str) -> None:
    assert load_settings(workspace(tmp_path, f"durability: {written}\n")).durability == "off"
    with pytest.raises(InvalidArgument, match="durability"):
        load_settings(workspace(tmp_path, "durability: on\n"))


def test_loading_one_workspace_never_changes_the_defaults_of_the_next(tmp_path: Path) -> None:
    before = load_settings()
    load_settings(workspace(tmp_path, "models:\n  profiles:\n    openai: {model: other}\n"))
    assert load_settings() == before


def test_an_unknown_key_is_refused_with_the_nearest_known_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"memory\.working_capacty is not a known key; did you mean 'working_cap"):
        load_settings(workspace(tmp_path, "memory:\n  working_capacty: 9\n"))


def test_an_unknown_key_inside_a_profile_is_refused_too(tmp_path: Path) -> None:
    text = "models:\n  profiles:\n    openai: {modle: x}\n"
    with pytest.raises(InvalidArgument, match="did you mean 'model'"):
        load_settings(workspace(tmp_path, text))


def test_a_value_out_of_range_names_the_file_and_the_setting(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"mabos\.yaml: beliefs\.conflict_threshold"):
        load_settings(workspace(tmp_path, "beliefs:\n  conflict_threshold: 1.5\n"))


def test_an_active_profile_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="expected one of auto, none, openai, ollama"):
        load_settings(workspace(tmp_path, "models:\n  active: opnai\n"))


@pytest.mark.parametrize("text", ["memory: [", "- a\n- b\n", "just words"])
def test_a_file_that_is_not_a_mapping_is_damaged_and_says_where(tmp_path: Path, text: str) -> None:
    with pytest.raises(Damaged, match=r"mabos\.yaml:\d"):
        load_settings(workspace(tmp_path, text))


@pytest.mark.parametrize("value", ["2026-13-45", "2026-02-24T25:00:00Z", "0x_", "!!int nine", "!!bool perhaps"])
def test_a_value_that_is_written_like_another_is_damaged_and_says_where(tmp_path: Path, value: str) -> None:
    with pytest.raises(Damaged, match=r"mabos\.yaml:3 is not valid YAML: '[^']+' is invalid"):
        load_settings(workspace(tmp_path, f"simulation:\n  weeks: 4\n  start: {value}\n"))


def test_a_file_that_is_not_text_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "mabos.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Damaged, match="not UTF-8"):
        load_settings(tmp_path)


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert load_settings(workspace(tmp_path, "")) == load_settings()


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError):
        load_settings().memory.working_capacity = 9


def test_without_a_key_no_endpoint_is_in_use() -> None:
    assert load_settings(None, environment({})).models.profile is None


def test_a_key_in_the_environment_makes_openai_the_endpoint() -> None:
    env = environment({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_MODEL": "m"})
    profile = load_settings(None, env).models.profile
    assert profile is not None
    assert (profile.base_url, profile.model) == ("http://localhost:1/v1", "m")
    assert env.secret(profile.api_key_env) == "sk-1"


def test_a_workspace_that_says_none_is_not_overruled_by_the_environment(tmp_path: Path) -> None:
    settings = load_settings(workspace(tmp_path, "models: {active: none}"), environment({"OPENAI_API_KEY": "sk-1"}))
    assert settings.models.profile is None


def test_the_environment_is_read_into_one_value() -> None:
    env = environment(
        {
            "MABOS_WORKSPACE": "/w",
            "MABOS_NOW": "2026-01-05T09:00:00+01:00",
            "MABOS_FORBID_MODEL": "1",
            "NEO4J_URI": "bolt://db",
            "CHROMA_ENDPOINT": "http://c",
        }
    )
    assert env.workspace == Path("/w")
    assert env.now == datetime(2026, 1, 5, 8, tzinfo=UTC)
    assert env.forbid_model
    assert (env.neo4j_uri, env.neo4j_user, env.chroma_endpoint) == ("bolt://db", "neo4j", "http://c")


def test_an_empty_environment_has_defaults() -> None:
    env = environment({"MABOS_FORBID_MODEL": "0"})
    assert (env.workspace, env.now, env.forbid_model) == (Path("workspace"), None, False)


@pytest.mark.parametrize("text", ["soon", "2026-02-30", "0001-01-01T00:00:00+05:00"])
def test_a_moment_that_is_none_names_its_variable(text: str) -> None:
    with pytest.raises(InvalidArgument, match=f"MABOS_NOW is '{re.escape(text)}'"):
        environment({"MABOS_NOW": text})


def test_secrets_do_not_show() -> None:
    shown = repr(environment({"OPENAI_API_KEY": "sk-1", "NEO4J_PASSWORD": "pw-1"}))
    assert "sk-1" not in shown
    assert "pw-1" not in shown


def test_every_setting_in_the_defaults_says_what_it_means() -> None:
    """A line that sets a number carries a comment with its unit, except the profiles, whose names say it."""
    text = DEFAULTS.read_text(encoding="utf-8").split("\nmodels:")[0]
    bare = [line for line in text.splitlines() if line.startswith("  ") and ": " in line and "#" not in line]
    assert [line.split(":")[0].strip() for line in bare] == ["auto_approve_categories", "notification_channels", "seed"]
    assert read_yaml(DEFAULTS)


def test_importing_the_settings_loads_neither_frameworks_nor_network() -> None:
    heavy = "{'langgraph', 'langchain_core', 'httpx', 'chromadb'}"
    code = f"import sys, mabos.configs.settings; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
