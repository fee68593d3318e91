"""Which model, embedder and vectors a workspace gets: what its settings name, or none."""

from pathlib import Path
from typing import Literal

from backends.cached import CachedVectors
from backends.chat import ChatModel, ForbiddenModel, NoModel
from backends.chroma import ChromaVectors
from backends.embed import Embedder, NoEmbedder
from backends.minilm import MiniLM, missing
from backends.openai_compatible import OpenAICompatible
from backends.vectors import FlatVectors, Vectors
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
Keeper = Literal["auto", "files", "chroma"]


def embedder(provider: Provider = "none") -> Embedder:
    """Return the embedder that settings name: none, the local one, or with `auto` the local one where it is installed.

    Nothing is imported or loaded before the first text; a local one that is not installed says so then.
    """
    if provider == "none" or (provider == "auto" and missing()):
        return NoEmbedder()
    return MiniLM()


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
