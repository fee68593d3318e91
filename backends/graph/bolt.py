"""A client for one Neo4j server over Bolt: every call has a time limit, and a server that is down costs nothing.

The driver by itself retries for a minute if nothing listens, and waits forever for a server that has fallen silent.
Here it retries nothing, a call past its time loses its connection, and a breaker guards all calls.
"""

import logging
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from mabos.backends.graph.breaker import Breaker
from mabos.backends.one_address import public
from mabos.configs.errors import InvalidArgument, Unavailable

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

Returned = TypeVar("Returned")
Rows = list[dict[str, Any]]

READ_S, WRITE_S = 10.0, 30.0
"""Seconds that the server works on one question or one batch, at most."""

GRACE_S = 5.0
"""Seconds beyond the server's own limit after which it has fallen silent."""

_PROBE_S = 0.2
_COLLISIONS = 10
_COLLIDED = frozenset({"DeadlockDetected", "EquivalentSchemaRuleAlreadyExists"})  # `IF NOT EXISTS` looks, then makes
_PORT = 7687
_SCHEMES = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})


@dataclass(frozen=True, slots=True)
class BoltAnswer:
    """The rows of a statement as JSON types; `is_cut` means that there were more."""

    rows: Rows
    is_cut: bool = False


class Bolt:
    """A server, connected to at the first call and shared by threads. If it is out of reach, calls raise `Unavailable`.

    A refused statement raises `InvalidArgument`. `indexed` records by database which types of edges have an index.
    """

    def __init__(self, uri: str, user: str, password: str, *, grace_s: float = GRACE_S) -> None:
        self.uri = uri
        self.breaker = Breaker(self._probe)
        self.indexed: set[tuple[str, str]] = set()
        self._auth = (user, password)
        self._grace_s = grace_s
        self._guard = Lock()
        self._driver: Driver | None = None

    def read(
        self, text: str, parameters: Mapping[str, Any] | None = None, *, database: str, seconds: float = READ_S
    ) -> Rows:
        """Return the rows of a read-only statement."""

        def work(driver: "Driver") -> Rows:
            with driver.session(database=database, default_access_mode="READ") as session:
                return session.execute_read(
                    _apply_timeout(lambda within: within.run(text, dict(parameters or {})).data(), seconds)
                )

        return self._call(work, seconds)

    def ask(
        self, text: str, parameters: Mapping[str, Any], *, database: str, limit: int, seconds: float = READ_S
    ) -> "BoltAnswer":
        """Return up to `limit` rows of a user's statement, which the server too must accept as read-only."""

        def run_read_only(within: "ManagedTransaction") -> BoltAnswer:
            kind = within.run(f"EXPLAIN {text}", dict(parameters)).consume().query_type
            if kind != "r":
                raise InvalidArgument("this statement would change the graph; use reading clauses", argument="cypher")
            found = within.run(text, dict(parameters)).fetch(limit + 1)
            rows = [{name: json_value(value) for name, value in dict(record).items()} for record in found[:limit]]
            return BoltAnswer(rows, is_cut=len(found) > limit)

        def work(driver: "Driver") -> BoltAnswer:
            with driver.session(database=database, default_access_mode="READ", fetch_size=limit + 1) as session:
                return session.execute_read(_apply_timeout(run_read_only, seconds))

        return self._call(work, seconds)

    def write(
        self, work: Callable[["ManagedTransaction"], Returned], *, database: str, seconds: float = WRITE_S
    ) -> Returned:
        """Return the result of `work` in one transaction; all or nothing."""

        def run_write(driver: "Driver") -> Returned:
            with driver.session(database=database) as session:
                return session.execute_write(_apply_timeout(work, seconds))

        return self._call(run_write, seconds)

    def run(self, text: str, parameters: Mapping[str, Any] | None = None, *, database: str) -> Rows:
        """Return the rows of a statement in its own transaction, as schema changes need."""

        def work(driver: "Driver") -> Rows:
            with driver.session(database=database) as session:
                return session.run(text, dict(parameters or {})).data()

        return self._call(work, WRITE_S)

    def close(self) -> None:
        """Close every connection; the next call reconnects."""
        with self._guard:
            driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()

    def _call(self, work: Callable[["Driver"], Returned], seconds: float) -> Returned:
        return self.breaker.call(lambda: self._within(work, seconds))

    def _within(self, work: Callable[["Driver"], Returned], seconds: float) -> Returned:
        with self._translate_errors():
            driver = self._open_driver()
            watch = Timer(seconds + self._grace_s, self._abandon, (driver,))
            watch.daemon = True
            watch.start()
            try:
                return _past_others(lambda: work(driver))
            finally:
                watch.cancel()

    def _open_driver(self) -> "Driver":
        with self._guard:
            if self._driver is None:
                self._driver = _driver(self.uri, self._auth)
            return self._driver

    def _abandon(self, driver: "Driver") -> None:
        with self._guard:
            if self._driver is driver:
                self._driver = None
        driver.close()  # whoever waits for an answer on one of its connections is told that it is gone

    def _probe(self) -> None:
        with self._translate_errors():
            socket.create_connection(_place(self.uri), _PROBE_S).close()
            self._within(lambda driver: driver.verify_connectivity(), 0.0)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError
        except ImportError:
            raise Unavailable("Neo4j needs the extra: pip install 'mabos[neo4j]'") from None
        try:
            yield
        except AuthError as error:
            message = (
                f"Neo4j at {public(self.uri)} refuses the user {self._auth[0]!r}; check NEO4J_USER and NEO4J_PASSWORD"
            )
            raise Unavailable(message) from error
        except (ConfigurationError, ValueError) as error:
            message = f"{public(self.uri)!r} is not a Neo4j address ({error}); expected bolt://host:7687 in NEO4J_URI"
            raise Unavailable(message) from error
        except (DriverError, OSError) as error:
            message = f"Neo4j at {public(self.uri)} does not answer ({_first_line(error)}); start it with `make neo4j`"
            raise Unavailable(message) from error
        except Neo4jError as error:
            said = f"{error.code}: {_first_line(error.message or '')}"
            if error.is_retryable() or "Authentication" in (error.code or ""):
                raise Unavailable(
                    f"Neo4j at {public(self.uri)} is temporarily unavailable ({said}); try again"
                ) from error
            raise InvalidArgument(f"Neo4j refused this: {said}") from error


def _driver(uri: str, auth: tuple[str, str]) -> "Driver":
    from neo4j import GraphDatabase

    logging.getLogger("neo4j").addHandler(logging.NullHandler())  # what goes wrong is told in our own words
    _place(uri)
    return GraphDatabase.driver(
        uri,
        auth=auth,
        connection_timeout=2.0,
        connection_acquisition_timeout=3.0,
        max_transaction_retry_time=0.0,
        liveness_check_timeout=30.0,
        max_connection_pool_size=10,
        notifications_min_severity="OFF",
        telemetry_disabled=True,
        user_agent="mabos",
    )


def _place(uri: str) -> tuple[str, int]:
    """Return host and port of an address; raises `ValueError` without quoting the address."""
    # The driver would refuse it too, and both it and the library's parser quote what they refuse.
    if public(uri) != uri:
        raise ValueError("it contains a user; put the user into NEO4J_USER and the password into NEO4J_PASSWORD")
    place = urlsplit(uri)
    if place.scheme not in _SCHEMES or not place.hostname:
        raise ValueError("the protocol or the host is missing")
    return place.hostname, place.port or _PORT


def _past_others(work: Callable[[], Returned]) -> Returned:
    """Return the result of `work`, retried after a collision with another transaction: a deadlock ends one of two."""
    from neo4j.exceptions import Neo4jError

    for attempt in range(1, _COLLISIONS):
        try:
            return work()
        except Neo4jError as error:
            if (error.code or "").rpartition(".")[2] not in _COLLIDED:
                raise
        time.sleep(random.uniform(0, 0.02) * attempt)
    return work()


def _apply_timeout(
    work: Callable[["ManagedTransaction"], Returned], seconds: float
) -> Callable[["ManagedTransaction"], Returned]:
    from neo4j import unit_of_work

    return unit_of_work(timeout=seconds)(work)


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0][:300]


def json_value(value: Any) -> Any:
    """Return a value as JSON: nodes and edges become objects, a path a list of both, times text."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return _properties(value)
    if isinstance(value, Relationship):
        return {"type": value.type, **_properties(value)}
    if isinstance(value, Path):
        parts: list[Any] = [value.nodes[0]]
        for edge, node in zip(value.relationships, value.nodes[1:], strict=True):
            parts += [edge, node]
        return [json_value(one) for one in parts]
    if isinstance(value, Mapping):
        return {name: json_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _properties(part: Any) -> dict[str, Any]:
    return {name: json_value(value) for name, value in part.items() if _is_shown(name)}


def _is_shown(name: str) -> bool:
    return name not in ("business_id", "embedding") and not name.startswith("_")
