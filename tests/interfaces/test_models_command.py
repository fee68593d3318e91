"""`mabos models` lists what settings name and tries one, in seconds, tokens and dollars, or says what mends it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.backends.test_embed_endpoint import answered
from tests.backends.test_openai_compatible import completion, server
from tests.interfaces.command_line import answer, mabos


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MABOS_FORBID_MODEL")


def settings(folder: Path, base_url: str, **over: Any) -> Path:
    profile = {"base_url": base_url, "model": "tiny", "max_retries": 0, "input_usd": 1000, "output_usd": 1000, **over}
    embedding = {"base_url": base_url, "model": "topics", "dimensions": 4, "max_retries": 0}
    written = {"models": {"active": "mine", "profiles": {"mine": profile}, "embedding": embedding}}
    (folder / "mabos.yaml").write_text(json.dumps(written))  # JSON is YAML
    return folder


def test_every_profile_is_listed_with_its_place_key_and_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    settings(tmp_path, "http://127.0.0.1:9/v1", api_key_env="MY_KEY")
    found = {one["name"]: one for one in answer("models", workspace=tmp_path)["models"]}
    assert (found["mine"]["is_active"], found["mine"]["key"], found["mine"]["input_usd"]) == (True, "set", 1000)
    assert (found["openai"]["key"], found["ollama"]["key"]) == ("missing", "not needed")
    shown = mabos("models", workspace=tmp_path).stdout
    assert "http://127.0.0.1:9/v1" in shown
    assert "sk-very-secret" not in shown


def test_without_a_model_the_list_says_so_and_needs_no_workspace(tmp_path: Path) -> None:
    assert "No chat model is in use" in mabos("models", workspace=tmp_path / "nowhere").stdout
    assert "no chat model is in use; name one" in mabos("models", "try", workspace=tmp_path, code=1).stderr


def test_one_is_tried_with_prose_and_with_a_form_and_what_it_took_is_told(tmp_path: Path) -> None:
    form = json.dumps({"answer": "Customers.", "sure_percent": 90})

    def respond(body: dict[str, Any]) -> tuple[int, Any]:
        return 200, completion(form if "response_format" in body else "Customers.")

    with server(respond) as seen:
        settings(tmp_path, seen.base_url)
        report = answer("models", "try", workspace=tmp_path)
        assert [one["what"] for one in report["steps"]] == ["answer", "form"]
        assert [(one["ok"], one["tokens"], one["usd"]) for one in report["steps"]] == [(True, 17, 0.017)] * 2
        shown = mabos("models", "try", "mine", "--question", "What now?", workspace=tmp_path).stdout
        assert seen[-2]["body"]["messages"][-1]["content"] == "What now?"
    assert "17 tokens, $0.017000" in shown
    assert not (tmp_path / ".mabos").exists(), "trying a model writes nothing"


def test_a_model_that_fills_in_no_form_is_said_to_be_of_no_use(tmp_path: Path) -> None:
    with server(lambda _: (200, completion("I love forms."))) as seen:
        steps = answer("models", "try", workspace=settings(tmp_path, seen.base_url), code=1)["steps"]
    assert [one["ok"] for one in steps] == [True, False]
    assert "try a larger one" in steps[1]["says"]


def test_what_fails_is_said_with_what_mends_it_and_never_with_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with server(lambda _: (401, {"error": {"message": "sk-very-secret is wrong"}})) as seen:
        place = settings(tmp_path, seen.base_url, api_key_env="MY_KEY")
        failed = mabos("models", "try", workspace=place, code=1).stdout
    assert "needs another key; set MY_KEY" in failed
    assert "sk-very-secret" not in failed
    away = mabos("models", "try", workspace=settings(tmp_path, "http://127.0.0.1:9/v1"), code=1).stdout
    assert "start the server, or correct base_url" in away
    assert "did you mean 'mine'?" in mabos("models", "try", "mien", workspace=tmp_path, code=1).stderr


def test_vectors_are_tried_by_the_name_embedding(tmp_path: Path) -> None:
    with server(answered) as seen:
        (step,) = answer("models", "try", "embedding", workspace=settings(tmp_path, seen.base_url))["steps"]
    assert (step["says"], step["tokens"]) == ("4 numbers", 7)
    (failed,) = answer("models", "try", "embedding", workspace=tmp_path, code=1)["steps"]
    assert "did not answer" in failed["says"]


def test_where_models_are_forbidden_none_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MABOS_FORBID_MODEL", "1")
    settings(tmp_path, "http://127.0.0.1:9/v1")
    assert "MABOS_FORBID_MODEL is set" in mabos("models", "try", workspace=tmp_path, code=1).stderr
