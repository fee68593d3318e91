"""Settings of models: the endpoints that answer, and the file that takes what they answered."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from mabos.configs.section import Count, SettingsSection


class Endpoint(SettingsSection):
    """One OpenAI-compatible endpoint; the key itself is never in a file, only the name of its variable."""

    base_url: str
    model: str
    api_key_env: str = ""
    timeout_s: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=1, ge=0)
    input_usd: float = Field(default=0.0, ge=0)


class ModelProfile(Endpoint):
    """A chat model; with `stream` its answer comes word by word, which no proxy takes for a dead connection."""

    output_usd: float = Field(default=0.0, ge=0)
    stream: bool = False


class EmbeddingProfile(Endpoint):
    """A model that gives texts vectors of `dimensions` numbers."""

    dimensions: Count


class ModelSettings(SettingsSection):
    """Which endpoint answers, if any: a profile's name, `none`, or `auto` (`openai` where the environment has it).

    With `work` it answers what people and colleagues say, with the operations of the agent. `record` and `replay` name
    the file that takes its calls, or that answers in its stead.
    """

    active: str
    work: bool
    record: str
    replay: str
    profiles: Mapping[str, ModelProfile]
    embedding: EmbeddingProfile

    @model_validator(mode="after")
    def _is_of_one_mind(self) -> Self:
        known = ["auto", "none", *self.profiles]
        if self.active not in known:
            raise ValueError(f"active is {self.active!r}; expected one of {', '.join(known)}")
        if self.record and self.replay:
            raise ValueError("record and replay are both set; a run is recorded or replayed")
        return self

    @property
    def profile(self) -> ModelProfile | None:
        """The endpoint in use, or None: agents then run on formulas, rules, cases and plans."""
        return self.profiles.get(self.active)
