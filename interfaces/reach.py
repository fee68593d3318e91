"""Reachability of external services: whether each accepts connections and answers, within a second or two.

Model endpoints are asked for their list of models, Chroma for its heartbeat. So a service that hangs or refuses a key
is detected, and no request costs money; `mabos models try` tests a model itself.
"""

import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Literal
from urllib.parse import urlsplit

from mabos.backends.chroma import PORT
from mabos.backends.one_address import opener, public
from mabos.backends.providers import check_installed
from mabos.backends.tape import TapedAnswers
from mabos.configs.errors import InvalidArgument, MabosError
from mabos.configs.models import Endpoint, ModelProfile, ModelSettings
from mabos.configs.settings import Environment, Settings
from mabos.interfaces.checks import Check

PATIENCE_S = 0.8
"""Seconds after which what does not listen, or listens and does not answer, is said not to: names that nobody resolves
can take minutes."""
_PORTS = {"https": 443, "bolt": 7687, "neo4j": 7687}
_USUAL = {"chroma": PORT, "checkpoints": 5432}
_DENIED = (401, 403)

Address = tuple[str, int]
Standing = Literal["away", "silent", "denied", "there"]
"""The status of a server: not listening, listening without an answer, refusing the key, or answering."""


def check_reach(settings: Settings, surroundings: Environment, place: Path) -> list[Check]:
    """Return the state of everything outside this machine's files that settings and environment name."""
    models, notify = settings.models, settings.notify
    embeds = settings.memory.embeddings == "openai"
    is_silenced = surroundings.forbid_model or settings.models.replay
    chat = models.profile if models.profile and not is_silenced else None
    others = {name: models.profiles[name] for name in models.phases.values() if chat and name != models.active}
    smtp, chroma = f"smtp://{notify.smtp_host}:{notify.smtp_port}", surroundings.chroma_endpoint
    places = {
        "chat model": _build_endpoint(chat, surroundings),
        **{_of_phases(models, name): _build_endpoint(one, surroundings) for name, one in others.items()},
        "embeddings": _build_endpoint(models.embedding if embeds else None, surroundings),
        "neo4j": _Endpoint(surroundings.neo4j_uri if settings.graph.neo4j != "none" else ""),
        "chroma": _Endpoint(chroma, f"{chroma if '//' in chroma else f'http://{chroma}'}/api/v2/heartbeat"),
        "checkpoints": _Endpoint(settings.checkpoints.database),
        "mail": _Endpoint(smtp if notify.smtp_host else ""),
        "slack": _Endpoint(surroundings.secret(notify.slack_webhook_env)),
    }
    found = _standing({name: one for name, one in places.items() if one.url})
    checks = [_chat(settings, surroundings, place, found.get("chat model", "away"))]
    for name, one in others.items():
        subject = _of_phases(models, name)
        checks.append(_profile(subject, name, one, surroundings, found.get(subject, "away")))
    if embeds:
        stands = found["embeddings"]
        checks.append(
            _endpoint("embeddings", models.embedding, surroundings, stands, without="words alone", trial="embedding")
        )
    checks += [_server(name, places[name], found[name], *_SERVERS[name]) for name in _SERVERS if name in found]
    return checks


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """The address of a service, and the URL to request over HTTP, if any."""

    url: str
    question: str = ""
    key: str = ""

    def address(self, name: str) -> Address:
        return address_of(self.url, _USUAL.get(name, 80))


def _build_endpoint(one: Endpoint | None, surroundings: Environment) -> _Endpoint:
    if one is None or is_by_package(one):  # its package knows where it is, and asking there may cost
        return _Endpoint("")
    return _Endpoint(one.base_url, f"{one.base_url.rstrip('/')}/models", surroundings.secret(one.api_key_env))


_SERVERS: Mapping[str, tuple[str, str]] = {
    "neo4j": ("the embedded graph answers, and changes wait", "make neo4j"),
    "chroma": ("vectors in files are searched exactly", "unset CHROMA_ENDPOINT"),
    "checkpoints": ("they are kept in a file of the workspace", "take checkpoints.database out of mabos.yaml"),
    "mail": ("letters wait and are tried again", "mabos heartbeat --once"),
    "slack": ("notices wait and are tried again", "mabos heartbeat --once"),
}
"""The features that work without each server, and how to restore the others."""


def address_of(url: str, usual: int = 80) -> Address:
    """Return host and port of an address; a missing host is empty, and a missing port is the default."""
    found = urlsplit(url if "//" in url else f"//{url}")
    try:
        port = found.port
    except ValueError:
        port = None
    return found.hostname or "", port or _PORTS.get(found.scheme.partition("+")[0], usual)


def _standing(places: Mapping[str, _Endpoint]) -> dict[str, Standing]:
    """Return the state of each place, after twice `PATIENCE_S` at most."""
    found: dict[str, Standing] = dict.fromkeys(places, "away")

    def ask(name: str, place: _Endpoint) -> None:
        if _connects(place.address(name)):
            found[name] = "silent"
            found[name] = _answers(place)

    threads = [Thread(target=ask, args=one, daemon=True) for one in places.items()]
    until = monotonic() + 2 * PATIENCE_S
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    return dict(found)


def _answers(place: _Endpoint) -> Standing:
    """Return how a place that listens answers; whatever it says but a refusal is an answer."""
    if not place.question:
        return "there"
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request

    headers = {"Authorization": f"Bearer {place.key}"} if place.key else {}
    try:
        # As settings name it; a redirect is an answer too, and the key does not go where it leads.
        with opener().open(Request(place.question, headers=headers), timeout=PATIENCE_S):  # noqa: S310
            return "there"
    except HTTPError as error:
        return "denied" if error.code in _DENIED else "there"
    except (OSError, HTTPException, ValueError):
        return "silent"


def _connects(address: Address) -> bool:
    try:
        with closing(socket.create_connection(address, timeout=PATIENCE_S)):
            return bool(address[0])
    except OSError:
        return False


def _chat(settings: Settings, surroundings: Environment, place: Path, stands: Standing) -> Check:
    models = settings.models
    if models.replay:
        return _recording(place / models.replay, surroundings)
    if surroundings.forbid_model:
        return Check("chat model", "absent", "none: MABOS_FORBID_MODEL is set", "unset MABOS_FORBID_MODEL")
    if models.profile is None:
        says = "none; agents run on formulas, rules, cases and plans"
        return Check("chat model", "absent", says, "export OPENAI_API_KEY=... (or OPENAI_BASE_URL and OPENAI_MODEL)")
    told = _profile("chat model", models.active, models.profile, surroundings, stands)
    return replace(told, says=f"{told.says}; recorded in {models.record}") if models.record else told


def _of_phases(models: ModelSettings, name: str) -> str:
    """Return the name of the check of a profile used by single phases only: "chat model of plan and learn"."""
    phases = [phase for phase, profile in models.phases.items() if profile == name]
    return f"chat model of {' and '.join(phases)}"


def _profile(subject: str, name: str, one: ModelProfile, surroundings: Environment, stands: Standing) -> Check:
    without = "formulas, rules, cases and plans"
    if is_by_package(one):
        return replace(_by_package(one, surroundings, without, name), subject=subject)
    return _endpoint(subject, one, surroundings, stands, without=without, trial=name)


def is_by_package(one: Endpoint) -> bool:
    """Return whether a model is reached through its provider's package, not at an OpenAI-compatible address."""
    return isinstance(one, ModelProfile) and one.kind not in ("", "openai")


def _by_package(one: ModelProfile, surroundings: Environment, without: str, name: str) -> Check:
    """Check the package and the key of a provider, without a request."""
    try:
        check_installed(one)
    except InvalidArgument as error:
        message, _, mend = error.message.rpartition("; ")
        return Check("chat model", "wrong", message, mend)
    if one.api_key_env and not surroundings.secret(one.api_key_env):
        says = f"{one.provider} needs a key, and {one.api_key_env} is not set; until then {without}"
        return Check("chat model", "degraded", says, f"export {one.api_key_env}=...")
    key = f", with the key in {one.api_key_env}" if one.api_key_env else ""
    return Check("chat model", "ok", f"{one.provider}{key}; it is not asked here", f"mabos models try {name}")


def _recording(path: Path, surroundings: Environment) -> Check:
    answers = TapedAnswers(path)
    try:
        head = answers.head
    except MabosError as error:
        mend = "unset MABOS_REPLAY_MODEL" if surroundings.replay_model else "take models.replay out of mabos.yaml"
        return Check("chat model", "wrong", f"{error.message}; until then nobody else is asked", mend)
    says = (
        f"{answers.total} answers of {head.recording_of or 'embeddings'}, recorded from {head.began or 'long ago'} on"
    )
    return Check("chat model", "ok", f"{says}, come from {path}; nobody is asked")


def _endpoint(
    subject: str, one: Endpoint, surroundings: Environment, stands: Standing, *, without: str, trial: str
) -> Check:
    where, key = f"{one.model} at {public(one.base_url)}", one.api_key_env
    if key and not surroundings.secret(key) and one.base_url.startswith("https:"):
        return Check(subject, "degraded", f"{where} needs a key, and {key} is not set; {without}", f"export {key}=...")
    if stands == "there":
        return Check(subject, "ok", f"{where} (answers; asked nothing that costs)")
    faults = {
        "away": f"nothing answers: {where}",
        "silent": f"{where} listens and does not answer",
        "denied": f"{where} refuses the key in {key}"
        if key
        else f"{where} needs a key; set api_key_env of its profile",
    }
    mend = f"export {key}=..." if stands == "denied" and key else f"mabos models try {trial}"
    return Check(subject, "degraded", f"{faults[stands]}; until then {without}", mend)


def _server(name: str, place: _Endpoint, stands: Standing, without: str, mend: str) -> Check:
    host, port = place.address(name)  # never the whole address: a webhook's path is its secret
    if stands == "away":
        return Check(name, "degraded", f"nothing answers at {host}:{port}; until then {without}", mend)
    if stands == "silent":
        return Check(name, "degraded", f"{host}:{port} listens and does not answer; until then {without}", mend)
    return Check(name, "ok", f"{host}:{port} answers" if name == "chroma" else f"{host}:{port} listens")
