"""Chat models from settings: an OpenAI-compatible endpoint, or a provider by its LangChain package."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from mabos.backends.endpoint import NO_KEY, ModelPlace, http_client, timeout
from mabos.backends.langchain_model import LangChainModel
from mabos.backends.one_address import public
from mabos.configs.errors import InvalidArgument
from mabos.configs.extensions import extensions
from mabos.configs.models import OPENAI, ModelProfile

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_OPENAI_HOST = "api.openai.com"


@dataclass(frozen=True, slots=True)
class ProviderPackage:
    """The package of a provider, the extra that installs it, and its arguments for a profile."""

    package: str
    extra: str
    arguments: Callable[[ModelProfile, str], dict[str, Any]]


def _anthropic(profile: ModelProfile, key: str) -> dict[str, Any]:
    return {"api_key": key, "timeout": profile.timeout_s, "max_retries": 0} | _at(profile, "base_url")


def _google(profile: ModelProfile, key: str) -> dict[str, Any]:
    # One attempt; 0 would mean the package's own number of them. Its client would send the key where a redirect leads.
    once = {"api_key": key, "timeout": profile.timeout_s, "max_retries": 1}
    return once | {"client_args": {"follow_redirects": False}} | _at(profile, "base_url")


def _azure(profile: ModelProfile, key: str) -> dict[str, Any]:
    return {
        "api_key": key,
        "azure_deployment": profile.model,
        "timeout": timeout(profile),
        "max_retries": 0,
        "http_client": http_client(profile),
        "stream_usage": True,
        "use_responses_api": False,
    } | _at(profile, "azure_endpoint")


def _ollama(profile: ModelProfile, key: str) -> dict[str, Any]:
    headers = {"headers": {"Authorization": f"Bearer {key}"}} if key else {}
    return {"client_kwargs": {"timeout": profile.timeout_s, **headers}} | _at(profile, "base_url")


def _openrouter(profile: ModelProfile, key: str) -> dict[str, Any]:
    milliseconds = int(profile.timeout_s * 1000)
    return {"api_key": key, "timeout": milliseconds, "max_retries": 0} | _at(profile, "base_url")


def _at(profile: ModelProfile, name: str) -> dict[str, str]:
    return {name: profile.base_url} if profile.base_url else {}


PROVIDERS = {
    "anthropic": ProviderPackage("langchain_anthropic", "anthropic", _anthropic),
    "azure_openai": ProviderPackage("langchain_openai", "azure", _azure),
    "google_genai": ProviderPackage("langchain_google_genai", "google", _google),
    "ollama": ProviderPackage("langchain_ollama", "ollama", _ollama),
    "openrouter": ProviderPackage("langchain_openrouter", "openrouter", _openrouter),
}
"""Providers that are tested; `init_chat_model` knows more."""
# Only the profile's own arguments: a package may refuse unknown ones.
_ANY = ProviderPackage(
    "langchain", "langchain", lambda one, key: ({"api_key": key} if key else {}) | _at(one, "base_url")
)
_KINDS = {
    "anthropic-chat": "anthropic",
    "chat-google-generative-ai": "google_genai",
    "chat-ollama": "ollama",
    "openrouter-chat": "openrouter",
    "azure-openai-chat": "azure_openai",
}


def profile_model(profile: ModelProfile, api_key: str = "") -> LangChainModel:
    """Return the chat model of a profile; its client is imported and opened with the first call.

    Raises `InvalidArgument` that names the extra if the provider's package is not installed.
    """
    if profile.kind in ("", "openai"):
        place = ModelPlace.of(profile, api_key)
        build = partial(_compatible, profile, api_key or NO_KEY)
        return LangChainModel(build, profile, place, limit_in_body=_OPENAI_HOST not in profile.base_url)
    if factory := _find_factory(profile):
        place = ModelPlace.of(profile, api_key, where=f"of {profile.kind}", needs_key=bool(profile.api_key_env))
        return LangChainModel(partial(factory, profile.model, **profile.options), profile, place)
    check_installed(profile)
    where = f"of {profile.kind}" + (f" at {public(profile.base_url)}" if profile.base_url else "")
    place = ModelPlace.of(profile, api_key, where=where, needs_key=bool(profile.api_key_env))
    return LangChainModel(partial(_initialise_model, profile, api_key), profile, place)


def check_installed(profile: ModelProfile) -> None:
    """Raise `InvalidArgument` for an unknown provider, or with the extra to install if its package is missing."""
    if profile.kind in ("", "openai") or _find_factory(profile):
        return
    chosen = PROVIDERS.get(profile.kind, _ANY)
    lacking = [name for name in dict.fromkeys((_ANY.package, chosen.package)) if find_spec(name) is None]
    if lacking:
        message = f"provider {profile.provider!r} needs {' and '.join(lacking)}, which is not installed"
        raise InvalidArgument(f"{message}; pip install 'mabos[{chosen.extra}]'", argument="provider")
    if profile.kind not in PROVIDERS and (fault := _find_fault(profile)):
        raise InvalidArgument(f"provider {profile.provider!r}: {fault}", argument="provider")


def _find_fault(profile: ModelProfile) -> str:
    """Return why `init_chat_model` knows no such provider, or lacks its package; other faults are the first call's."""
    from langchain.chat_models import init_chat_model

    try:
        init_chat_model(profile.model, model_provider=profile.kind)
    except Exception as error:  # noqa: BLE001 - each package has errors of its own
        fault = " ".join(str(error).split())
        return fault if isinstance(error, ImportError) or fault.startswith("Unsupported provider") else ""
    return ""


def _find_factory(profile: ModelProfile) -> Callable[..., "BaseChatModel"] | None:
    """Return the chat model factory of the entry point in `mabos.models` named like the provider."""
    if profile.kind in PROVIDERS:
        return None
    return next((one.value for one in extensions("mabos.models") if one.name == profile.kind), None)


def given_model(model: "BaseChatModel") -> LangChainModel:
    """Return a caller's LangChain chat model as a `LangChainModel`; it keeps its own timeout and retries."""
    profile = _profile_of(model)
    where = f"at {public(profile.base_url)}" if profile.base_url else f"of {profile.kind}"
    in_body = not profile.kind and _OPENAI_HOST not in profile.base_url and not getattr(model, "max_tokens", None)
    return LangChainModel(lambda: model, profile, ModelPlace(profile.model, where), limit_in_body=in_body)


def _profile_of(model: "BaseChatModel") -> ModelProfile:
    kind = model._llm_type
    names = (getattr(model, name, None) for name in ("azure_deployment", "deployment_name", "model_name", "model"))
    name = next((one for one in names if isinstance(one, str) and one), type(model).__name__)
    if kind == "openai-chat":
        return ModelProfile(base_url=getattr(model, "openai_api_base", None) or OPENAI, model=name, api_key_env="")
    return ModelProfile(provider=f"{_KINDS.get(kind, kind)}:{name}", model=name.removeprefix("models/"), api_key_env="")


def _compatible(profile: ModelProfile, api_key: str) -> "BaseChatModel":
    from langchain_openai import ChatOpenAI

    # The Responses API is chosen by model name, whatever the endpoint; only OpenAI's own has it.
    arguments: dict[str, Any] = {
        "model": profile.model,
        "base_url": profile.base_url,
        "api_key": api_key,
        "timeout": timeout(profile),
        "max_retries": 0,
        "http_client": http_client(profile),
        "stream_usage": True,
        "use_responses_api": False,
    }
    return ChatOpenAI(**(arguments | dict(profile.options)))


def _initialise_model(profile: ModelProfile, api_key: str) -> "BaseChatModel":
    from langchain.chat_models import init_chat_model

    arguments = PROVIDERS.get(profile.kind, _ANY).arguments(profile, api_key)
    model: BaseChatModel = init_chat_model(profile.provider, **(arguments | dict(profile.options)))
    if profile.kind == "openrouter":
        # Without retries its client tries a failing server again for an hour (openrouter 0.11).
        client: Any = model
        client.client.sdk_configuration.retry_config = None
    return model
