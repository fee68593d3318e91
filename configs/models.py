"""Settings of models: their endpoints, their prices, and the file that records their answers."""

import re
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, model_validator

from mabos.configs.section import Count, SettingsSection

OPENAI = "https://api.openai.com/v1"
KEYS = {
    "openai": "OPENAI_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
}
"""The variable that holds the key of each provider, where a profile names no other."""
_THINKS = re.compile(r"(?:^|/)(?:o\d|gpt-[5-9]|gemini-(?:2\.5|[3-9])|claude-[a-z]+-[5-9]|deepseek-r|qwq)")
"""Names of models that think before they answer, unless they are told not to."""
_THINKING_TOKENS = 4000


Phase = Literal[
    "thinking",
    "work",
    "perceive",
    "deliberate",
    "plan",
    "learn",
    "memory",
    "archive",
    "entities",
    "reasoning",
    "content",
]
"""The purposes of a model; `thinking` is everything but `work`, which is answering people and colleagues."""


class PriceSettings(SettingsSection):
    """Dollars per million tokens; None means unknown, 0 means free.

    Tokens read from the provider's cache cost `cached_usd`, tokens written to it `cache_write_usd`; if such a price is
    missing, they cost as much as others. A call with at least `long_from` input tokens is charged the `long_` prices.
    """

    input_usd: NonNegativeFloat | None = None
    output_usd: NonNegativeFloat | None = None
    cached_usd: NonNegativeFloat | None = None
    cache_write_usd: NonNegativeFloat | None = None
    long_from: Count | None = None
    long_input_usd: NonNegativeFloat | None = None
    long_output_usd: NonNegativeFloat | None = None


class Endpoint(SettingsSection):
    """One OpenAI-compatible endpoint; files hold only the name of the key's variable, never the key."""

    base_url: str
    model: str
    api_key_env: str = ""
    timeout_s: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=1, ge=0)
    input_usd: NonNegativeFloat | None = None


class ModelProfile(Endpoint, PriceSettings):
    """A chat model: at an OpenAI-compatible `base_url`, or from a `provider` through its LangChain package.

    `provider` is a string for `init_chat_model`, as "anthropic:claude-sonnet-5-5"; `options` are further arguments.
    With `stream` the answer arrives word by word, so no proxy mistakes it for a dead connection.

    A model that thinks before it answers gets `thinking_tokens` on top of the tokens of its answer; otherwise it would
    stop in mid-thought. None decides by the model's name.
    """

    base_url: str = ""
    model: str = ""
    provider: str = ""
    options: Mapping[str, Any] = Field(default_factory=dict)
    stream: bool = False
    thinking_tokens: NonNegativeInt | None = None

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, given: Any) -> Any:
        """Return the settings with what follows from the provider: the model, its key, OpenAI's own address."""
        if not isinstance(given, Mapping) or not isinstance(given.get("provider"), str) or not given["provider"]:
            return given
        kind, _, model = given["provider"].partition(":")
        filled = {"model": model, "api_key_env": KEYS.get(kind, "")}
        if kind == "openai":
            filled["base_url"] = OPENAI
        return {**filled, **given}

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if not self.provider and not (self.base_url and self.model):
            raise ValueError("give base_url and model, or a provider such as anthropic:claude-sonnet-5-5")
        if self.provider and ":" not in self.provider:
            raise ValueError(f"provider is {self.provider!r}; add the model, as in anthropic:claude-sonnet-5-5")
        return self

    @property
    def thinking(self) -> int:
        """Return the maximum thinking tokens for one answer."""
        if self.thinking_tokens is not None:
            return self.thinking_tokens
        return _THINKING_TOKENS if _THINKS.search(self.model) else 0

    @property
    def kind(self) -> str:
        """The provider's name, as `anthropic`; empty for an OpenAI-compatible endpoint."""
        return self.provider.partition(":")[0]


class EmbeddingProfile(Endpoint):
    """An embedding model and the number of `dimensions` of its vectors."""

    dimensions: Count


class ModelSettings(SettingsSection):
    """The endpoint that answers, if any: a profile's name, `none`, or `auto` (`openai` where the environment has it).

    With `work` it answers people and colleagues with the agent's operations. `record` names a file for its calls,
    `replay` a file that answers instead. `prices` are by model name and apply to profiles without one; they override
    the prices that MABOS knows. `phases` names other profiles for single phases, as {thinking: small}; a phase's own
    name overrides `thinking`.
    """

    active: str
    work: bool
    record: str
    replay: str
    profiles: Mapping[str, ModelProfile]
    embedding: EmbeddingProfile
    prices: Mapping[str, PriceSettings] = Field(default_factory=dict)
    phases: Mapping[Phase, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_of_one_mind(self) -> Self:
        known = ["auto", "none", *self.profiles]
        if self.active not in known:
            raise ValueError(f"active is {self.active!r}; expected one of {', '.join(known)}")
        for phase, name in self.phases.items():
            if name not in self.profiles:
                known = list(self.profiles)
                raise ValueError(f"phases has {name!r} for {phase}; expected a profile: {', '.join(known)}")
        if self.record and self.replay:
            raise ValueError("record and replay are both set; set only one")
        return self

    def of_phase(self, profile: str) -> Self:
        """Return the settings for a single profile, recorded and replayed in a file of its own."""
        own = {name: f"{one}.{profile}" for name in ("record", "replay") if (one := getattr(self, name))}
        return self.model_copy(update={"active": profile, "phases": {}, **own})

    @property
    def profile(self) -> ModelProfile | None:
        """The endpoint in use, or None: agents then run on formulas, rules, cases and plans."""
        return self.profiles.get(self.active)
