"""The models in the settings, and a test of one of them: latency, tokens, cost, and failures."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from mabos.backends.chat import ChatMessage
from mabos.backends.choice import terms_of, vector_endpoint
from mabos.backends.embed_endpoint import EndpointEmbedder
from mabos.backends.langchain_model import LangChainModel
from mabos.backends.metering import Meter, Metered, MeteredCall, Terms, within
from mabos.backends.one_address import public
from mabos.backends.providers import check_installed, profile_model
from mabos.backends.structured import complete_structured
from mabos.configs.errors import InvalidArgument, MabosError, Unavailable, unknown
from mabos.configs.models import Endpoint, ModelProfile, ModelSettings, PriceSettings
from mabos.configs.prices import price_of
from mabos.configs.settings import Environment, Settings
from mabos.workspace.clock import iso, system_clock

QUESTION = "Say in one short sentence what a company needs first."
EMBEDDING = "embedding"
"""The name under which the endpoint of embeddings is listed and tried."""
_TOKENS = 60
_SHOWN = 9  # names of models


class _TrialAnswer(BaseModel):
    answer: str = Field(min_length=1, max_length=200)
    sure_percent: int = Field(ge=0, le=100)


@dataclass(frozen=True, slots=True)
class Listed:
    """An endpoint from the settings; `key` is whether its key is set, never its value.

    A price is None if it is unknown; `fault` says why the model cannot be called, with the remedy.
    """

    name: str
    model: str
    base_url: str
    is_active: bool
    key: Literal["not needed", "set", "missing"]
    input_usd: float | None
    output_usd: float | None
    cached_usd: float | None = None
    provider: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TrialStep:
    """A step of a test: its answer, or its failure with the remedy."""

    what: str
    ok: bool
    says: str
    seconds: float
    tokens: int = 0
    usd: float = 0.0


def list_endpoints(settings: Settings, surroundings: Environment) -> list[Listed]:
    """Return every profile, and the embedding endpoint."""
    models = settings.models
    found = [
        _describe_endpoint(name, one, models, surroundings, is_active=one is models.profile)
        for name, one in models.profiles.items()
    ]
    embeds = settings.memory.embeddings == "openai"
    return [*found, _describe_endpoint(EMBEDDING, models.embedding, models, surroundings, is_active=embeds)]


def _describe_endpoint(
    name: str, one: Endpoint, models: ModelSettings, surroundings: Environment, *, is_active: bool
) -> Listed:
    key: Literal["set", "missing"] = "set" if surroundings.secret(one.api_key_env) else "missing"
    price = price_of(models, one, _day(surroundings)) or PriceSettings()
    is_chat = isinstance(one, ModelProfile)
    return Listed(
        name,
        one.model,
        public(one.base_url) if one.base_url else "",
        is_active,
        key if one.api_key_env else "not needed",
        price.input_usd,
        price.output_usd if is_chat else 0.0,
        price.cached_usd,
        one.provider if isinstance(one, ModelProfile) else "",
        _fault(one) if isinstance(one, ModelProfile) else "",
    )


def _fault(profile: ModelProfile) -> str:
    try:
        check_installed(profile)
    except InvalidArgument as error:
        return error.message
    return ""


def _day(surroundings: Environment) -> str:
    return iso(surroundings.now or system_clock())[:10]


def try_endpoint(settings: Settings, surroundings: Environment, name: str, question: str = QUESTION) -> list[TrialStep]:
    """Return the results of one prose question and one form, or of a text to embed.

    The second is only sent if the first was answered. Raises `UnknownId` for a name missing in the settings,
    `Unavailable` if models are forbidden.
    """
    if surroundings.forbid_model:
        raise Unavailable("model calls are forbidden: MABOS_FORBID_MODEL is set; unset it to try one")
    if name == EMBEDDING:
        return [_try_embedding(settings, surroundings, question)]
    profiles = settings.models.profiles
    if name not in profiles:
        raise unknown("model profile", name, [*profiles, EMBEDDING], argument="profile")
    profile = profiles[name]
    try:
        model = profile_model(profile, surroundings.secret(profile.api_key_env))
    except InvalidArgument as error:
        return [TrialStep("answer", False, error.message, 0.0)]
    terms = terms_of(profile, settings.models, _day(surroundings))
    asked = [ChatMessage("user", question)]
    first = _try_prose(model, asked, terms)
    return [first, _try_form(model, asked, terms)] if first.ok else [first]


def _try_prose(model: LangChainModel, asked: Sequence[ChatMessage], terms: Terms) -> TrialStep:
    counted = Metered(model, terms=lambda: terms)
    try:
        answer = counted.complete(asked, max_tokens=_TOKENS, tag="try")
    except MabosError as error:
        names = [one for one in model.offered() if one != model.name]
        offered = f"; it offers {', '.join(names[:_SHOWN])}" if names else ""
        return _step("answer", False, error.message + offered, counted.meter)
    return _step("answer", True, " ".join(answer.text.split()), counted.meter)


def _try_form(model: LangChainModel, asked: Sequence[ChatMessage], terms: Terms) -> TrialStep:
    """Test whether the model fills in a form, as agents nearly always require."""
    counted = Metered(model, terms=lambda: terms)
    answer = complete_structured(counted, asked, _TrialAnswer, max_tokens=200, tag="try")
    says = "no answer fits the form, also after one repair: agents would do without this model; try a larger one"
    return _step("form", answer is not None, answer.model_dump_json() if answer else says, counted.meter)


def _try_embedding(settings: Settings, surroundings: Environment, text: str) -> TrialStep:
    meter, began = Meter(), time.monotonic()
    seen: list[MeteredCall] = []
    try:
        with within(report=seen.append):
            source = vector_endpoint(settings.models, surroundings)
            (vector,) = EndpointEmbedder(source.profile, source, meter).embed([text])
    except MabosError as error:
        return TrialStep("vector", False, error.message, time.monotonic() - began)
    tokens = sum(one.usage.tokens for one in seen)
    return TrialStep("vector", True, f"{len(vector)} numbers", time.monotonic() - began, tokens, meter.spent.model_usd)


def _step(what: str, ok: bool, says: str, meter: Meter) -> TrialStep:
    spent = meter.spent
    return TrialStep(
        what, ok, says, spent.model_seconds, spent.model_tokens if ok else 0, spent.model_usd if ok else 0.0
    )
