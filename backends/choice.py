"""Selection of a workspace's model, embedder and vector store from its settings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mabos.backends.cached import CachedVectors
from mabos.backends.chat import NOT_ASKED, ChatModel, ForbiddenModel, NoModel
from mabos.backends.chroma import ChromaVectors
from mabos.backends.embed import Embedder, NoEmbedder
from mabos.backends.embed_endpoint import EndpointEmbedder, VectorEndpoint, Vectorial
from mabos.backends.langchain_model import LangChainModel
from mabos.backends.metering import FREE, Meter, Metered, MeteredByPhase, ModelPrice, PriceUnknown, Terms
from mabos.backends.minilm import MiniLM, chroma_weights, missing, missing_of_chroma
from mabos.backends.providers import given_model, profile_model
from mabos.backends.recording import RecordedModel, RecordedVectors, Replayed, ReplayedVectors
from mabos.backends.tape import Tape, TapedAnswers, TapeHead
from mabos.backends.vectors import FlatVectors, Vectors
from mabos.configs.errors import InvalidArgument
from mabos.configs.models import ModelProfile, ModelSettings, PriceSettings
from mabos.configs.prices import price_of
from mabos.configs.settings import Environment
from mabos.workspace.clock import Clock, iso, system_clock

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True, slots=True)
class ChosenModels:
    """The configured chat model and embedding endpoint, both metered, recorded or replayed."""

    model: Metered
    vectors: EndpointEmbedder


def choose_models(
    models: ModelSettings,
    environment: Environment,
    root: Path,
    meter: Meter,
    *,
    stand_in: ChatModel | None = None,
    clock: Clock = system_clock,
) -> ChosenModels:
    """Return the configured models, or the `stand_in`; nothing is imported, read or contacted before a call.

    `models.phases` assigns single phases to other profiles, unless there is a stand-in.

    If `models.record` names a file, below `root` unless it is absolute, all calls are recorded there. If
    `models.replay` does, the file answers and no model is called. Raises `InvalidArgument` if a provider's package is
    not installed.
    """
    model: ChatModel
    source: Vectorial
    if models.replay:
        answers = TapedAnswers(root / models.replay)
        model, source = stand_in or Replayed(answers), ReplayedVectors(answers)
    else:
        model, source = stand_in or chat_model(models, environment), vector_endpoint(models, environment)
    secrets, day = environment.secrets, iso(clock())[:10]

    @cache
    def resolve_terms() -> Terms:
        if isinstance(answering := answering_model(model), Replayed):
            return answering.terms
        if isinstance(answering, LangChainModel):
            return terms_of(answering.profile, models, day)
        # A model of somebody's own says itself what it costs, unless settings do.
        terms = terms_of(models.profile, models, day)
        return terms if terms.is_priced else replace(terms, is_priced=True)

    if models.record:
        began, is_asked = iso(clock()), model.name not in NOT_ASKED
        terms = resolve_terms() if is_asked else FREE
        tape = Tape(root / models.record, TapeHead.at(model.name, terms, began) if is_asked else TapeHead(began=began))
        source = RecordedVectors(source, tape, secrets=secrets)
        model = RecordedModel(model, tape, terms=terms, secrets=secrets) if is_asked else model

    @cache
    def of_vectors() -> Terms:
        price = price_of(models, models.embedding, day)
        return Terms(build_price(price), is_priced=price is not None)

    metered = Metered(model, meter, terms=resolve_terms)
    if models.phases and stand_in is None:
        of_profile = {
            name: choose_models(models.of_phase(name), environment, root, meter, clock=clock).model
            for name in {*models.phases.values()}
        }
        metered = MeteredByPhase(metered, {phase: of_profile[name] for phase, name in models.phases.items()})
    return ChosenModels(metered, EndpointEmbedder(models.embedding, source, meter, terms=of_vectors))


def answering_model(model: ChatModel) -> ChatModel:
    """Return the model that answers behind a meter and a recorder."""
    while isinstance(model, Metered | RecordedModel):
        model = model.model
    return model


def as_chat_model(given: "ChatModel | BaseChatModel | str", environment: Environment) -> ChatModel:
    """Return a caller's model as a `ChatModel`; a string is for `init_chat_model`, like "anthropic:claude-...".

    Raises `InvalidArgument` for anything but a model, and if a provider's package is not installed.
    """
    if isinstance(given, str):
        profile = _parse_profile(given)
        return profile_model(profile, environment.secret(profile.api_key_env))
    if callable(getattr(given, "complete", None)):
        model: Any = given
        return model  # type: ignore[no-any-return]
    from langchain_core.language_models import BaseChatModel

    if isinstance(given, BaseChatModel):
        return given_model(given)
    kind = type(given).__name__
    message = f"model is {kind}; give a LangChain chat model, a string such as 'anthropic:claude-...', or a ChatModel"
    raise InvalidArgument(message, argument="model")


def _parse_profile(given: str) -> ModelProfile:
    try:
        return ModelProfile(provider=given)
    except ValueError:
        message = f"model is {given!r}; write provider and model, as 'anthropic:claude-sonnet-5-5' or 'ollama:llama3.2'"
        raise InvalidArgument(message, argument="model") from None


def check_prices(chosen: ChosenModels, budgets: Mapping[str, float | None], *, embeds: bool) -> None:
    """Raise `InvalidArgument` if a budget (by scope) limits dollars but a model's price is unknown.

    A model that cannot be called costs nothing; an embedding endpoint costs only if it `embeds`.
    """
    limited = next((scope for scope, usd in budgets.items() if usd is not None), None)
    if limited is None:
        return
    others = chosen.model.others if isinstance(chosen.model, MeteredByPhase) else ()
    for one in (chosen.model, *others):
        is_asked = not isinstance(answering_model(one), Replayed) and one.name not in NOT_ASKED
        if is_asked and not one.terms.is_priced:
            raise InvalidArgument(PriceUnknown(one.name, limited).message, argument="models.prices")
    if embeds and not chosen.vectors.terms.is_priced:
        message = f"the budget of one {limited} limits dollars, and the price of embeddings is not known"
        advice = "set models.embedding.input_usd (0 where they cost nothing), or remove the limit"
        raise InvalidArgument(f"{message}; {advice}", argument="models.embedding.input_usd")


def describe_unused(model: ChatModel) -> str:
    """Return a note on recorded answers that a finished run did not use; "" if there are none."""
    inner = model.model if isinstance(model, Metered) else model
    return inner.rest if isinstance(inner, Replayed) else ""


def terms_of(profile: ModelProfile | None, models: ModelSettings, day: str) -> Terms:
    """Return a model's price on a day, and the maximum duration of a call with all its retries."""
    if profile is None:
        return FREE
    patience_s = profile.timeout_s * (profile.max_retries + 1)
    price = price_of(models, profile, day)
    return Terms(build_price(price), patience_s, price is not None, profile.thinking)


def build_price(price: PriceSettings | None) -> ModelPrice:
    """Return the configured price; an unknown one counts as 0."""
    if price is None:
        return ModelPrice()
    stated = price.model_dump()
    return ModelPrice(**stated | {name: stated[name] or 0.0 for name in ("input_usd", "output_usd")})


def chat_model(models: ModelSettings, environment: Environment) -> ChatModel:
    """Return the chat model of the active profile; absent if none is named, forbidden if calls are."""
    if environment.forbid_model:
        return ForbiddenModel()
    profile = models.profile
    if profile is None:
        return NoModel()
    return profile_model(profile, environment.secret(profile.api_key_env))


Provider = Literal["none", "auto", "local", "chroma", "openai"]
Keeper = Literal["auto", "files", "chroma"]


def embedder(provider: Provider = "none", reached: EndpointEmbedder | None = None) -> Embedder:
    """Return the configured embedder: the local one, Chroma's own, the one `reached` at an endpoint, or none.

    With `auto` it is the local one or Chroma's, if installed: nothing costs money by default. Nothing is imported or
    loaded before the first text; a configured embedder that is missing fails then.
    """
    if provider == "openai" and reached is not None:
        return reached
    if provider == "local" or (provider == "auto" and not missing()):
        return MiniLM()
    if provider == "chroma" or (provider == "auto" and not missing_of_chroma()):
        return MiniLM(weights=chroma_weights())
    return NoEmbedder()


def vector_endpoint(models: ModelSettings, environment: Environment) -> VectorEndpoint:
    """Return the embedding endpoint of `models.embedding`; it is not contacted before the first text."""
    return VectorEndpoint(models.embedding, environment.secret(models.embedding.api_key_env))


def vectors(chosen: Embedder, directory: Path, kind: Keeper = "files", *, endpoint: str = "") -> Vectors | None:
    """Return the vector store of `chosen` in a folder for derived data; None without an embedder.

    With `chroma`, or `auto` and an `endpoint`, Chroma searches the vectors in the files.
    """
    if not chosen.fingerprint:
        return None
    files = FlatVectors(directory, chosen.fingerprint, chosen.dimensions)
    if kind == "files" or (kind == "auto" and not endpoint):
        return files
    return CachedVectors(files, ChromaVectors(directory, chosen.fingerprint, chosen.dimensions, endpoint=endpoint))
