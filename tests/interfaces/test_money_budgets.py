"""A budget of dollars holds for a model of known price, and a model of unknown price is not asked under one."""

import json
from pathlib import Path
from typing import Any

import pytest

from mabos import open_workspace
from mabos.backends.chat import ChatMessage, ScriptedModel
from mabos.backends.metering import (
    BudgetExhausted,
    Meter,
    Metered,
    ModelBudget,
    PriceUnknown,
    Spent,
    Terms,
    reserve_allowances,
    within,
)  # fmt: skip
from mabos.configs.errors import InvalidArgument, Unavailable
from tests.backends.test_langchain_model import Parrot
from tests.interfaces.command_line import answer, mabos

ASK = [ChatMessage("user", "How long will the money last?")]


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MABOS_FORBID_MODEL")


def settings(folder: Path, budgets: dict[str, Any], **profile: Any) -> Path:
    mine = {"base_url": "http://127.0.0.1:9/v1", "model": "tiny", "max_retries": 0} | profile
    written = {"budgets": budgets, "models": {"active": "mine", "profiles": {"mine": mine}}}
    folder.mkdir(exist_ok=True)
    (folder / "mabos.yaml").write_text(json.dumps(written))  # JSON is YAML
    return folder


@pytest.mark.parametrize("scope", ["cycle", "agent", "run"])
def test_a_limit_of_dollars_and_a_price_that_nobody_knows_do_not_start(tmp_path: Path, scope: str) -> None:
    with pytest.raises(InvalidArgument, match=r"price of model 'tiny' is not known: set input_usd.*models\.prices"):
        open_workspace(settings(tmp_path / "w", {scope: {"model_usd": 1}}))


def test_with_a_price_also_of_nothing_it_starts_and_without_a_limit_anyway(tmp_path: Path) -> None:
    open_workspace(settings(tmp_path / "free", {"run": {"model_usd": 1}}, input_usd=0, output_usd=0)).close()
    open_workspace(settings(tmp_path / "priced", {"run": {"model_usd": 1}}, input_usd=1, output_usd=4)).close()
    open_workspace(settings(tmp_path / "unlimited", {})).close()


def test_a_limit_holds_before_the_call_with_the_price_that_is_known(tmp_path: Path) -> None:
    known = {"provider": "openai:gpt-4o-mini", "model": "gpt-4o-mini", "base_url": "https://api.openai.com/v1"}
    with (
        open_workspace(settings(tmp_path / "w", {"run": {"model_usd": 0.000001}}, **known)) as ws,
        pytest.raises(BudgetExhausted, match="dollars for models"),
    ):
        ws.services.model.complete(ASK)


def test_the_doctor_and_the_list_say_that_a_price_is_missing(tmp_path: Path) -> None:
    place = settings(tmp_path / "w", {"run": {"model_usd": 1}})
    mabos("init", str(place))
    checks = {one["subject"]: one for one in answer("doctor", workspace=place, code=1)["checks"]}
    assert (checks["opening"]["state"], "models.prices" in checks["opening"]["says"]) == ("wrong", True)
    listed = {one["name"]: one for one in answer("models", workspace=place)["models"]}
    assert (listed["mine"]["input_usd"], listed["openai"]["input_usd"]) == (None, 0.15)
    assert "unknown" in mabos("models", workspace=place).stdout


def test_a_budget_that_appears_later_is_not_passed_over() -> None:
    model = Metered(ScriptedModel(["yes", "yes"]), terms=lambda: Terms(is_priced=False))
    assert model.complete(ASK).text == "yes"
    with within(Meter(ModelBudget("goal", model_usd=1))), pytest.raises(PriceUnknown, match="one goal limits dollars"):
        model.complete(ASK)


def test_a_model_that_code_gives_thinks_for_the_agents(tmp_path: Path) -> None:
    parrot = Parrot(answers=[])
    with open_workspace(tmp_path / "w", model=parrot) as ws:
        assert ws.services.model.name == "Parrot"
        with pytest.raises(Unavailable):  # it has no answer left, and was asked
            ws.services.model.complete(ASK)
        assert len(parrot.seen) == 1
        with pytest.raises(InvalidArgument, match="already open with another model"):
            open_workspace(tmp_path / "w", model=ScriptedModel(["no"]))
        assert ws.services.model.name == "Parrot"


def test_a_model_that_code_gives_has_its_price_from_the_workspace(tmp_path: Path) -> None:
    place = settings(tmp_path / "w", {"run": {"model_usd": 1}})
    with pytest.raises(InvalidArgument, match="price of model 'Parrot'"):
        open_workspace(place, model=Parrot(answers=[]))
    written = {
        "budgets": {"run": {"model_usd": 1}},
        "models": {"prices": {"Parrot": {"input_usd": 1, "output_usd": 1}}},
    }
    (place / "mabos.yaml").write_text(json.dumps(written))
    open_workspace(place, model=Parrot(answers=[])).close()


def test_a_provider_whose_package_is_not_installed_is_an_error_that_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mabos.backends.providers.find_spec", {}.get)
    with pytest.raises(InvalidArgument, match=r"mabos\[anthropic\]"):
        open_workspace(tmp_path / "w", model="anthropic:claude-sonnet-5-5")
    place = settings(tmp_path / "v", {}, provider="anthropic:claude-sonnet-5-5", base_url="", model="claude-sonnet-5-5")
    checks = {one["subject"]: one for one in answer("doctor", workspace=place, code=1)["checks"]}
    assert checks["chat model"]["mend"] == "pip install 'mabos[anthropic]'"
    listed = {one["name"]: one for one in answer("models", workspace=place)["models"]}
    assert "mabos[anthropic]" in listed["mine"]["fault"]


def test_money_for_models_and_money_for_actions_are_two_budgets(tmp_path: Path) -> None:
    place = settings(tmp_path / "w", {"agent": {"model_usd": 2, "model_calls": 200}}, input_usd=1, output_usd=4)
    campaign = {"name": "Spring", "channel": "search", "segment": "all", "weekly_budget_usd": 90, "weeks": 3}
    with open_workspace(place, model=ScriptedModel(lambda _: "yes", name="tiny")) as ws:
        ws.create_business("acme", name="Acme", template="consulting")
        assert ws.agent("cmo").call("ad_campaign_create", **campaign).ok
        assert ws.agent("cmo").run(message="Is the campaign on record?").outcome == "acted"
        assert ws.services.directory.stores_of("cmo").day.spent().action_usd == 270
    written = {"budgets": {"agent": {"action_usd": 200}}}
    (place / "mabos.yaml").write_text(json.dumps(written))
    with (
        open_workspace(place, model=ScriptedModel(lambda _: "yes", name="tiny")) as ws,
        within(*ws.services.allowances.of("cmo")),
    ):
        reserve_allowances(Spent(model_usd=500))
        with pytest.raises(BudgetExhausted, match="200 dollars for actions"):
            reserve_allowances(Spent(action_usd=201))
