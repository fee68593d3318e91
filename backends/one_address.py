"""HTTP to one address trusted with a secret: encrypted or on this machine, and never redirected."""

from __future__ import annotations

import re
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

_BEFORE_HOST = re.compile(r"(?<=//)[^/\s]*@")  # a password may hold "?" and "#", which then end the host for a parser
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})
_PIECE, _LARGEST = 2**16, 2**24  # bytes


def is_here(address: str) -> bool:
    """Return whether an address is on this machine; False for an invalid one."""
    try:
        return urlsplit(address).hostname in _HERE
    except ValueError:
        return False


def is_private(address: str) -> bool:
    """Return whether traffic to an address is safe from eavesdropping: encrypted, or on this machine."""
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        return False
    return scheme == "https" or (scheme == "http" and is_here(address))


def public(address: str) -> str:
    """Return an address without the name and password before its host.

    >>> public("bolt://owner:hunter2@graph.example:7687"), public("http://[::1]:8000/v1")
    ('bolt://graph.example:7687', 'http://[::1]:8000/v1')
    >>> public("https://owner:hunter#2@prices.example/v1")
    'https://prices.example/v1'
    """
    return _BEFORE_HOST.sub("", address)


def is_sendable(secret: str) -> bool:
    """Return whether a header can carry a secret; Python's own error for one that it cannot would quote it."""
    return secret.isascii() and secret.isprintable()


def opener(*handlers: Any) -> OpenerDirector:
    """Return an opener that follows no redirects, so that a secret goes nowhere else."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class Stays(HTTPRedirectHandler):
        def redirect_request(self, *_given: Any, **_named: Any) -> None:
            """Follow no redirect: the redirect itself is the answer."""

    return build_opener(Stays, *handlers)


def body(answer: Any, *, seconds: float) -> bytes:
    """Return the body of an opened address, read to its end.

    The opener's timeout applies to each piece only. Raises `OSError` if the whole takes longer than `seconds`, is over
    16 MiB, or is incomplete.
    """
    until, pieces, size = monotonic() + seconds, list[bytes](), 0
    while piece := answer.read1(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if monotonic() > until:
            raise TimeoutError(f"its answer took longer than {seconds:g} s")
        if size > _LARGEST:
            raise OSError(f"its answer is larger than {_LARGEST:,} bytes")
    if answer.length:
        raise ConnectionError("its answer broke off")
    return b"".join(pieces)
