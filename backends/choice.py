"""Which model, embedder and vectors a workspace gets: what its settings name, or none."""

from pathlib import Path
from typing import Literal

from backends.chat import ChatModel, ForbiddenModel, NoModel
from backends.chroma import ChromaVectors
from backends.embed import Embedder, NoEmbedder
from backends.minilm import MiniLM, missing
from backends.openai_compatible import OpenAICompatible
from backends.vectors import FlatVectors, Vectors
from configs.errors import Unavailable
from configs.settings import Environment, ModelSettings


def chat_model(models: ModelSettings, environment: Environment) -> ChatModel:
    """Return the chat model of the active profile: none where nothing is named, forbidden where calls are.

    Nothing is imported or reached before the first call.
    """
    if environment.forbid_model:
        return ForbiddenModel()
    profile = models.profile
    if profile is None:
        return NoModel()
    return OpenAICompatible(profile, environment.secret(profile.api_key_env) if profile.api_key_env else "")


Provider = Literal["none", "auto", "local"]


def embedder(provider: Provider = "none") -> Embedder:
    """Return the embedder that settings name: none, the local one, or with `auto` the local one where it is installed.

    Nothing is imported or loaded before the first text. Raises `Unavailable` where `local` is asked for without the
    extra.
    """
    if provider == "none" or (provider == "auto" and missing()):
        return NoEmbedder()
    if lacking := missing():
        message = f"local embeddings need {', '.join(lacking)}; install mabos[local], or set embeddings to none"
        raise Unavailable(message)
    return MiniLM()


def vectors(chosen: Embedder, directory: Path, kind: Literal["flat", "chroma"] = "flat") -> Vectors | None:
    """Return where the vectors of `chosen` are kept in a folder for derived data; None without an embedder."""
    if not chosen.fingerprint:
        return None
    if kind == "chroma":
        return ChromaVectors(directory, chosen.fingerprint, chosen.dimensions)
    return FlatVectors(directory, chosen.fingerprint, chosen.dimensions)
