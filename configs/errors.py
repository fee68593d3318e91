"""The errors of MABOS, split by who must act.

MabosError
├── Misuse            the caller: a wrong argument, an unknown id, a refused action
│   ├── InvalidArgument
│   ├── UnknownId
│   └── Refused
├── Retry             the model: it may correct its call and try again
├── Unavailable       the operator: a backend is down, a lock is held
└── Damaged           a person: a source file is unreadable until repaired

Every message names the problem, the thing concerned, and the remedy.
"""

import errno
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

_ADVICE = dict.fromkeys((errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.ENOENT), "name another place")
_ADVICE |= {errno.EMFILE: "close what holds files open, or raise `ulimit -n`"}
_SHOWN = 200  # characters of an id that nobody knows


class MabosError(RuntimeError):
    """Base class of all errors that MABOS raises on purpose; `code` is stable, `argument` names the faulty one.

    It is a `RuntimeError` because LangGraph's server shows the text of Python's built-in errors and hides all others.
    """

    code = "error"

    def __init__(self, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.argument = argument


class Misuse(MabosError):
    """A request that cannot be carried out as it was made."""

    code = "misuse"


class InvalidArgument(Misuse):
    """An argument has the wrong type, form or range."""

    code = "invalid_argument"


class UnknownId(Misuse):
    """An id that does not exist."""

    code = "unknown_id"


class Refused(Misuse):
    """An action that identity, capability or governance does not allow."""

    code = "refused"


class Retry(MabosError):
    """An unusable answer from a model; the message is written for the model."""

    code = "retry"


class Unavailable(MabosError):
    """A failure of an external resource that is down or busy; the same call may succeed later."""

    code = "unavailable"


class Damaged(MabosError):
    """An unreadable file of truth; the message names the file and the line."""

    code = "damaged"


def unknown(kind: str, wanted: str, known: Iterable[str], *, argument: str | None = None) -> UnknownId:
    """Return an `UnknownId` that names the nearest known id, or lists a few."""
    names = sorted(known)
    if close := closest(wanted, names):
        found = f"did you mean {close!r}?"
    elif names:
        found = "found " + ", ".join(names[:9]) + (", ..." if len(names) > 9 else "")
    else:
        found = "there are none yet"
    shown = wanted if len(wanted) <= _SHOWN else wanted[:_SHOWN] + "…"
    return UnknownId(f"no {kind} {shown!r}; {found}", argument=argument)


def file_refused(error: OSError) -> Unavailable:
    """Return an `Unavailable` that states in one line the error of the file system."""
    which = f" {error.filename}" if error.filename else ""
    advice = _ADVICE.get(error.errno or 0, "free disk space, or make it writable")
    return Unavailable(f"the file system refused{which}: {error.strerror or error}; {advice}")


def closest(wanted: str, known: Iterable[str]) -> str:
    """Return the name most like `wanted`, or "" if none is close; ties go to one with the same first letters."""
    names, written = {name.lower(): name for name in known}, wanted.lower()

    def likeness(name: str) -> tuple[float, int]:
        alike = sum(written.startswith(name[:length]) for length in range(1, len(name) + 1))
        return SequenceMatcher(None, name, written).ratio(), alike

    return names.get(max(get_close_matches(written, names, n=9), key=likeness, default=""), "")


def nearest(wanted: str, known: Iterable[str], otherwise: str) -> str:
    """Return `did you mean 'x'?` for the closest of `known`, or all of them after `otherwise`."""
    names = list(known)
    close = closest(wanted, names)
    return f"did you mean {close!r}?" if close else f"{otherwise} {', '.join(names)}"
