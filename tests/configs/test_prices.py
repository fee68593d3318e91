"""What a model costs: what its profile says, what the workspace says of its name, what is known, or nothing."""

from datetime import date
from typing import Any

import pytest

from mabos.backends.chat import Usage
from mabos.backends.metering import ModelPrice
from mabos.configs.models import ModelProfile
from mabos.configs.prices import as_of, known_price, price_of
from mabos.configs.settings import load_settings

DAY = "2026-11-24"
LOCAL: dict[str, Any] = {"base_url": "http://127.0.0.1:9/v1", "model": "mine"}


def found(prices: dict[str, Any] | None = None, **profile: Any) -> tuple[Any, ...] | None:
    models = load_settings().models.model_copy(update={"prices": prices or {}})
    price = price_of(models, ModelProfile(**profile), DAY)
    return None if price is None else (price.input_usd, price.output_usd)


@pytest.mark.parametrize(
    ("model", "provider", "base_url"),
    [
        ("gpt-4o-mini", "", "https://api.openai.com/v1"),
        ("gpt-4o-mini-2024-07-18", "openai", ""),
        ("claude-haiku-4-5-20251001", "anthropic", ""),
        ("gemini-2.5-flash", "google_genai", ""),
    ],
)
def test_known_models_have_prices_also_with_a_date_in_their_names(model: str, provider: str, base_url: str) -> None:
    price = known_price(model, provider, base_url, DAY)
    assert price is not None
    assert price.input_usd is not None
    assert price.output_usd is not None
    assert price.cached_usd is not None
    assert 0 < price.cached_usd < price.input_usd < price.output_usd


def test_a_name_that_somebody_elses_server_uses_says_nothing_of_its_price() -> None:
    assert found(base_url="https://gateway.example/v1", model="gpt-4o-mini") is None
    assert found(provider="openrouter:openai/gpt-4o-mini") is None
    assert found(provider="azure_openai:gpt-4o-mini") is None
    assert found(provider="anthropic:claude-of-tomorrow") is None


def test_a_price_of_nothing_is_a_price() -> None:
    assert found(**LOCAL) is None
    assert found(**LOCAL, input_usd=0, output_usd=0) == (0, 0)
    assert found(provider="ollama:whatever") == (0, 0)
    assert found(**LOCAL, input_usd=1) is None, "half a price is none"


def test_a_profile_goes_before_the_workspace_and_that_before_what_is_known() -> None:
    own = {"input_usd": 7.0, "output_usd": 8.0}
    openai: dict[str, Any] = {"provider": "openai:gpt-4o-mini"}
    named = {"gpt-4o-mini": load_settings().models.profiles["ollama"].model_copy(update=own)}
    assert found(**openai) == (0.15, 0.6)
    assert found(named, **openai) == (7, 8)
    assert found(named, **openai, input_usd=1, output_usd=2) == (1, 2)


def test_a_price_changes_on_its_day() -> None:
    before, after = (known_price("gemini-4-argon", "google_genai", "", day) for day in (DAY, "2026-12-01"))
    assert before is not None
    assert after is not None
    assert (before.input_usd, after.input_usd) == (2, 4)
    assert date.fromisoformat(as_of()) <= date.today()  # noqa: DTZ011 - the table is of a day that has been


def test_cached_tokens_and_long_prompts_have_their_own_prices() -> None:
    price = ModelPrice(
        10, 40, cached_usd=1, cache_write_usd=12, long_from=1_000_000, long_input_usd=20, long_output_usd=60
    )
    million = Usage(1_000_000, 0)
    assert ModelPrice(10, 40).of(Usage(100_000, 100_000)).usd == 5
    assert price.of(Usage(900_000, 0, cached_tokens=400_000, cache_write_tokens=100_000)).usd == pytest.approx(5.6)
    assert price.of(million).usd == 20
    assert price.of(Usage(1_000_000, 0, cached_tokens=1_000_000)).usd == 2, "what is cached rises with the rest"
    assert price.at_most(Usage(500_000, 0)).usd == 6
