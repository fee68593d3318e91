"""Which model and embedder a workspace gets: what its settings name, or none."""

from backends.chat import ChatModel, ForbiddenModel, NoModel
from backends.embed import Embedder, NoEmbedder
from backends.openai_compatible import OpenAICompatible
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


def embedder() -> Embedder:
    """Return the embedder of this workspace: so far there is none."""
    return NoEmbedder()
