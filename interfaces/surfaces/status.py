"""The HTTP status of an answer: the caller's errors are 4xx, failures here are 5xx."""

from collections.abc import Mapping

from mabos.configs.errors import Damaged, InvalidArgument, Misuse, Refused, Retry, Unavailable, UnknownId
from mabos.tools.gate.approval import AwaitingApproval
from mabos.tools.gate.call import Outcome

_STATUS: Mapping[str, int] = {
    "": 200,
    AwaitingApproval.code: 202,
    InvalidArgument.code: 400,
    Misuse.code: 400,
    Refused.code: 403,
    UnknownId.code: 404,
    Retry.code: 502,
    Unavailable.code: 503,
    "budget_exhausted": 503,
    Damaged.code: 500,
}


def status(outcome: Outcome) -> int:
    """Return the status of an answer by its error code; an unexpected code is 500.

    >>> [status(Outcome(code=code)) for code in ("", "unknown_id", "damaged", "internal")]
    [200, 404, 500, 500]
    """
    return _STATUS.get(outcome.code, 500)
