"""HTTP to one address that is trusted with a secret: encrypted or of this machine, and never sent on to another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

_BEFORE_HOST = re.compile(r"(?<=//)[^/?#]*@")
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})


def is_here(address: str) -> bool:
    """Return whether an address is of this machine; False for one that cannot be read."""
    try:
        return urlsplit(address).hostname in _HERE
    except ValueError:
        return False


def is_private(address: str) -> bool:
    """Return whether nobody on the way reads what is sent to an address: encrypted, or of this machine."""
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        return False
    return scheme == "https" or (scheme == "http" and is_here(address))


def public(address: str) -> str:
    """Return an address as it may be told: without the name and password that may stand before its host.

    >>> public("bolt://owner:hunter2@graph.example:7687"), public("http://[::1]:8000/v1")
    ('bolt://graph.example:7687', 'http://[::1]:8000/v1')
    """
    return _BEFORE_HOST.sub("", address)


def opener(*handlers: Any) -> OpenerDirector:
    """Return what opens an address and follows no redirect, so that a secret goes nowhere else."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class Stays(HTTPRedirectHandler):
        def redirect_request(self, *_given: Any, **_named: Any) -> None:
            """Follow nothing: what is answered instead is the answer."""

    return build_opener(Stays, *handlers)
