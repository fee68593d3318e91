"""Which model, embedder and vectors a workspace gets: what its settings name, or none."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mabos.backends.cached import CachedVectors
from mabos.backends.chat import NOT_ASKED, ChatModel, ForbiddenModel, NoModel
from mabos.backends.chroma import ChromaVectors
from mabos.backends.embed import Embedder, NoEmbedder
from mabos.backends.embed_endpoint import EndpointEmbedder, VectorEndpoint, Vectorial
from mabos.backends.metering import FREE, Meter, Metered, ModelPrice, Terms
from mabos.backends.minilm import MiniLM, chroma_weights, missing, missing_of_chroma
from mabos.backends.openai_compatible import OpenAICompatible
from mabos.backends.recording import RecordedModel, RecordedVectors, Replayed, ReplayedVectors
from mabos.backends.tape import Tape, TapedAnswers, TapeHead
from mabos.backends.vectors import FlatVectors, Vectors
from mabos.configs.models import ModelProfile, ModelSettings
from mabos.configs.settings import Environment
from mabos.workspace.clock import Clock, iso, system_clock


@dataclass(frozen=True, slots=True)
class ChosenModels:
    """The chat model and the endpoint of embeddings that settings name, both bound to a meter, recorded or replayed."""

    model: Metered
    vectors: EndpointEmbedder


def asked(
    models: ModelSettings,
    environment: Environment,
    root: Path,
    meter: Meter,
    *,
    stand_in: ChatModel | None = None,
    clock: Clock = system_clock,
) -> ChosenModels:
    """Return what settings name, or the chat model's `stand_in`; nothing is imported, read or reached before a call.

    Where `models.record` names a file, below `root` unless it is absolute, all that is asked is recorded there; where
    `models.replay` does, it answers and nobody is asked.
    """
    model: ChatModel
    source: Vectorial
    if models.replay:
        answers = TapedAnswers(root / models.replay)
        model, source = stand_in or Replayed(answers), ReplayedVectors(answers)
    else:
        model, source = stand_in or chat_model(models, environment), vector_endpoint(models, environment)
    terms, secrets = terms_of(models.profile), environment.secrets
    if models.record:
        began, is_asked = iso(clock()), model.name not in NOT_ASKED
        tape = Tape(root / models.record, TapeHead.at(model.name, terms, began) if is_asked else TapeHead(began=began))
        source = RecordedVectors(source, tape, secrets=secrets)
        model = RecordedModel(model, tape, terms=terms, secrets=secrets) if is_asked else model

    def agreed() -> Terms:
        return model.terms if isinstance(model, Replayed) else terms

    return ChosenModels(Metered(model, meter, terms=agreed), EndpointEmbedder(models.embedding, source, meter))


def unasked(model: ChatModel) -> str:
    """Return what a run that is over did not ask a recording for, in words; "" where there is nothing to say."""
    inner = model.model if isinstance(model, Metered) else model
    return inner.rest if isinstance(inner, Replayed) else ""


def terms_of(profile: ModelProfile | None) -> Terms:
    """Return what an endpoint costs, and the longest that a call with all its tries may take."""
    if profile is None:
        return FREE
    return Terms(ModelPrice(profile.input_usd, profile.output_usd), profile.timeout_s * (profile.max_retries + 1))


def chat_model(models: ModelSettings, environment: Environment) -> ChatModel:
    """Return the chat model of the active profile: none where nothing is named, forbidden where calls are."""
    if environment.forbid_model:
        return ForbiddenModel()
    profile = models.profile
    if profile is None:
        return NoModel()
    return OpenAICompatible(profile, environment.secret(profile.api_key_env))


Provider = Literal["none", "auto", "local", "chroma", "openai"]
Keeper = Literal["auto", "files", "chroma"]


def embedder(provider: Provider = "none", reached: EndpointEmbedder | None = None) -> Embedder:
    """Return the embedder that settings name: the local one, Chroma's own, the one `reached` at an endpoint, or none.

    With `auto` it is the local one or Chroma's, where one of them is there: nothing is paid for unasked. Nothing is
    imported or loaded before the first text; one that is named and is not there says so then.
    """
    if provider == "openai" and reached is not None:
        return reached
    if provider == "local" or (provider == "auto" and not missing()):
        return MiniLM()
    if provider == "chroma" or (provider == "auto" and not missing_of_chroma()):
        return MiniLM(weights=chroma_weights())
    return NoEmbedder()


def vector_endpoint(models: ModelSettings, environment: Environment) -> VectorEndpoint:
    """Return the endpoint of embeddings that `models.embedding` describes; nobody is asked before the first text."""
    return VectorEndpoint(models.embedding, environment.secret(models.embedding.api_key_env))


def vectors(chosen: Embedder, directory: Path, kind: Keeper = "files", *, endpoint: str = "") -> Vectors | None:
    """Return where the vectors of `chosen` are kept in a folder for derived data; None without an embedder.

    With `chroma`, and with `auto` where there is an `endpoint`, Chroma searches what the files hold.
    """
    if not chosen.fingerprint:
        return None
    files = FlatVectors(directory, chosen.fingerprint, chosen.dimensions)
    if kind == "files" or (kind == "auto" and not endpoint):
        return files
    return CachedVectors(files, ChromaVectors(directory, chosen.fingerprint, chosen.dimensions, endpoint=endpoint))
