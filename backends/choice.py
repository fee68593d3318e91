"""Which model, embedder and vectors a workspace gets: what its settings name, or none."""

from pathlib import Path
from typing import Literal

from backends.cached import CachedVectors
from backends.chat import NOT_ASKED, ChatModel, ForbiddenModel, NoModel
from backends.chroma import ChromaVectors
from backends.embed import Embedder, NoEmbedder
from backends.embed_endpoint import EndpointEmbedder
from backends.metering import FREE, Meter, Metered, Price, Terms
from backends.minilm import MiniLM, chroma_weights, missing, missing_of_chroma
from backends.openai_compatible import OpenAICompatible
from backends.recording import Recorded, Replayed
from backends.vectors import FlatVectors, Vectors
from configs.models import ModelProfile, ModelSettings
from configs.settings import Environment


def metered(
    models: ModelSettings, environment: Environment, root: Path, meter: Meter, stand_in: ChatModel | None = None
) -> Metered:
    """Return the model that settings name, or its `stand_in`, bound to a meter, with its price and patience.

    Where `models.record` names a file, below `root` unless it is absolute, its calls are recorded there.
    """
    model = stand_in or chat_model(models, environment, root)
    terms = model.terms if isinstance(model, Replayed) else terms_of(models.profile)
    if models.record and model.name not in NOT_ASKED:
        model = Recorded(model, root / models.record, terms=terms, secrets=environment.secrets)
    return Metered(model, meter, price=terms.price, patience_s=terms.patience_s)


def terms_of(profile: ModelProfile | None) -> Terms:
    """Return what an endpoint costs, and the longest that a call with all its tries may take."""
    if profile is None:
        return FREE
    return Terms(Price(profile.input_usd, profile.output_usd), profile.timeout_s * (profile.max_retries + 1))


def chat_model(models: ModelSettings, environment: Environment, root: Path = Path()) -> ChatModel:
    """Return the chat model of the active profile: none where nothing is named, forbidden where calls are.

    Where `models.replay` names a recording, it answers and nobody is asked. Nothing is imported or reached before the
    first call.
    """
    if models.replay:
        return Replayed(root / models.replay)
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


def reached(models: ModelSettings, environment: Environment, meter: Meter) -> EndpointEmbedder:
    """Return the embedder at the endpoint that `models.embedding` describes; nobody is asked before the first text."""
    return EndpointEmbedder(models.embedding, environment.secret(models.embedding.api_key_env), meter)


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
