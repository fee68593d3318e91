"""A cheaper model thinks while another one replies: each is asked, priced, recorded and replayed by itself."""

from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ChatMessage
from mabos.backends.metering import BudgetExhausted
from mabos.configs.errors import InvalidArgument
from mabos.configs.models import ModelProfile, ModelSettings
from mabos.configs.settings import load_settings
from tests.backends.dialects import OPENAI, Said, speaking
from tests.world import WORDS_ALONE, World

ASK = [ChatMessage("user", "How long will the money last?")]
PHASES = {"thinking": "small", "learn": "large"}


def settings(large: str, small: str, **more: Any) -> dict[str, Any]:
    profiles = {
        name: ModelProfile(base_url=f"{url}{OPENAI.base}", model=name, input_usd=usd, output_usd=usd)
        for name, url, usd in (("large", large, 100), ("small", small, 1))
    }
    chosen = {"models.active": "large", "models.profiles": profiles, "models.phases": PHASES}
    return {**WORDS_ALONE, **chosen, **more}


def asked(world: World, *tags: str) -> list[tuple[str, float]]:
    """Return the answers to one question for several phases, with their dollars."""
    answers = [world.services.model.complete(ASK, tag=tag) for tag in tags]
    return [(one.text, one.usage.usd) for one in answers]


def test_each_phase_asks_its_own_model_at_its_own_price_and_is_had_again(tmp_path: Path) -> None:
    tags = ("work", "plan", "memory: weeks", "learn")
    with speaking(OPENAI, Said("Well."), Said("Long.")) as large, speaking(OPENAI, Said("So."), Said("Thus.")) as small:
        chosen = settings(large.url, small.url, **{"models.record": "calls.jsonl"})
        with World(tmp_path / "w", settings=chosen, variables={}, template="") as world:
            answers = asked(world, *tags)
    assert [text for text, _ in answers] == ["Well.", "So.", "Thus.", "Long."]
    assert answers[0][1] == pytest.approx(100 * answers[1][1])
    replayed = settings("http://127.0.0.1:9", "http://127.0.0.1:9", **{"models.replay": "calls.jsonl"})
    with World(tmp_path / "w", settings=replayed, variables={}, template="") as world:
        assert asked(world, *tags) == answers


def test_a_budget_of_dollars_holds_for_all_of_them_together(tmp_path: Path) -> None:
    with speaking(OPENAI, Said("Well.")) as large, speaking(OPENAI, Said("So.")) as small:
        chosen = settings(large.url, small.url, **{"budgets.run.model_usd": 0.01})
        with World(tmp_path / "w", settings=chosen, variables={}, template="") as world:
            assert asked(world, "plan")[0][0] == "So."
            with pytest.raises(BudgetExhausted):
                asked(world, "work")
    assert not large.requests
    unpriced = {**chosen, "models.profiles": {"large": chosen["models.profiles"]["large"], "small": ModelProfile(
        base_url="http://127.0.0.1:9/v1", model="small")}}  # fmt: skip
    with pytest.raises(InvalidArgument, match=r"price of model 'small' is not known"):
        World(tmp_path / "w", settings=unpriced, variables={}, template="")


def test_a_phase_of_no_profile_is_refused() -> None:
    given = load_settings().models.model_dump() | {"phases": {"plan": "nowhere"}}
    with pytest.raises(ValueError, match="phases has 'nowhere' for plan"):
        ModelSettings.model_validate(given)
