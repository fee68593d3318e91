"""What stands elsewhere: whether something listens there, asked of all at once and for less than a second.

Nobody is asked a question, which might cost something; `mabos models try` does that for a model.
"""

import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic
from urllib.parse import urlsplit

from backends.chroma import PORT
from backends.tape import Answers
from configs.errors import MabosError
from configs.models import Endpoint
from configs.settings import Environment, Settings
from mabos.checks import Check

PATIENCE_S = 0.8
"""Seconds after which what has not answered is said not to: names that nobody resolves can take minutes."""
_PORTS = {"https": 443, "bolt": 7687, "neo4j": 7687}
_USUAL = {"chroma": PORT, "checkpoints": 5432}

Address = tuple[str, int]


def reached(settings: Settings, surroundings: Environment, place: Path) -> list[Check]:
    """Return how everything stands that settings and environment name outside this machine's own files."""
    models, notify = settings.models, settings.notify
    embeds = settings.memory.embeddings == "openai"
    places = {
        "chat model": models.profile.base_url if models.profile and not _is_silenced(settings, surroundings) else "",
        "embeddings": models.embedding.base_url if embeds else "",
        "neo4j": surroundings.neo4j_uri if settings.graph.neo4j != "none" else "",
        "chroma": surroundings.chroma_endpoint,
        "checkpoints": settings.checkpoints.database,
        "mail": f"smtp://{notify.smtp_host}:{notify.smtp_port}" if notify.smtp_host else "",
        "slack": surroundings.secret(notify.slack_webhook_env),
    }
    listening = _listening({name: address_of(url, _USUAL.get(name, 80)) for name, url in places.items() if url})
    checks = [_chat(settings, surroundings, place, listens=listening.get("chat model", False))]
    if embeds:
        checks.append(
            _endpoint(
                "embeddings",
                models.embedding,
                surroundings,
                listens=listening["embeddings"],
                without="words alone",
                trial="embedding",
            )
        )
    checks += [_server(name, places[name], listening[name], *_SERVERS[name]) for name in _SERVERS if name in listening]
    return checks


_SERVERS: Mapping[str, tuple[str, str]] = {
    "neo4j": ("the embedded graph answers, and changes wait", "make neo4j"),
    "chroma": ("vectors in files are searched exactly", "unset CHROMA_ENDPOINT"),
    "checkpoints": ("they are kept in a file of the workspace", "take checkpoints.database out of mabos.yaml"),
    "mail": ("letters wait and are tried again", "mabos heartbeat --once"),
    "slack": ("notices wait and are tried again", "mabos heartbeat --once"),
}
"""What goes on without each server, and what to do about it."""


def address_of(url: str, usual: int = 80) -> Address:
    """Return host and port of an address; a host without a name is nobody's, and one without a port has the usual."""
    found = urlsplit(url if "//" in url else f"//{url}")
    try:
        port = found.port
    except ValueError:
        port = None
    return found.hostname or "", port or _PORTS.get(found.scheme.partition("+")[0], usual)


def _listening(addresses: Mapping[str, Address]) -> dict[str, bool]:
    """Return whether something listens at each address, after `PATIENCE_S` at most."""
    found = dict.fromkeys(addresses, False)

    def ask(name: str, address: Address) -> None:
        found[name] = _connects(address)

    threads = [Thread(target=ask, args=one, daemon=True) for one in addresses.items()]
    until = monotonic() + PATIENCE_S
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    return dict(found)


def _connects(address: Address) -> bool:
    try:
        with closing(socket.create_connection(address, timeout=PATIENCE_S)):
            return bool(address[0])
    except OSError:
        return False


def _is_silenced(settings: Settings, surroundings: Environment) -> bool:
    return surroundings.forbid_model or bool(settings.models.replay)


def _chat(settings: Settings, surroundings: Environment, place: Path, *, listens: bool) -> Check:
    models = settings.models
    if models.replay:
        return _recording(place / models.replay, surroundings)
    if surroundings.forbid_model:
        return Check("chat model", "absent", "none: MABOS_FORBID_MODEL is set", "unset MABOS_FORBID_MODEL")
    if models.profile is None:
        says = "none; agents run on formulas, rules, cases and plans"
        return Check("chat model", "absent", says, "export OPENAI_API_KEY=... (or OPENAI_BASE_URL and OPENAI_MODEL)")
    without = "formulas, rules, cases and plans"
    told = _endpoint("chat model", models.profile, surroundings, listens=listens, without=without, trial=models.active)
    return replace(told, says=f"{told.says}; recorded in {models.record}") if models.record else told


def _recording(path: Path, surroundings: Environment) -> Check:
    answers = Answers(path)
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
    subject: str, one: Endpoint, surroundings: Environment, *, listens: bool, without: str, trial: str
) -> Check:
    where = f"{one.model} at {one.base_url}"
    if one.api_key_env and not surroundings.secret(one.api_key_env) and one.base_url.startswith("https:"):
        says = f"{where} wants a key, and {one.api_key_env} is not set; until then {without}"
        return Check(subject, "degraded", says, f"export {one.api_key_env}=...")
    if not listens:
        says = f"nothing answers: {where}; until then {without}"
        return Check(subject, "degraded", says, f"mabos models try {trial}")
    return Check(subject, "ok", f"{where} (listens; not asked)")


def _server(name: str, url: str, listens: bool, without: str, mend: str) -> Check:
    host, port = address_of(url, _USUAL.get(name, 80))  # never the whole address: a webhook's path is its secret
    if listens:
        return Check(name, "ok", f"{host}:{port} listens")
    return Check(name, "degraded", f"nothing answers at {host}:{port}; until then {without}", mend)
