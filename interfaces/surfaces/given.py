"""Arguments as text: JSON from a command line, a request or a bus envelope."""

import json
from collections import Counter
from typing import Any

from mabos.configs.errors import InvalidArgument

NO_JSON = InvalidArgument("the body must be JSON, sent as application/json", argument="arguments")
"""The error for a request whose body is declared as another type, as a form of another site could send it."""


def is_json(content_type: str) -> bool:
    """Return whether a body is declared as JSON."""
    return content_type.partition(";")[0].strip().lower() == "application/json"


def parse_arguments(text: str | bytes) -> dict[str, Any]:
    """Return the arguments in `text`; raises `InvalidArgument` if it is not a JSON object."""
    try:
        given = json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise InvalidArgument(f"the arguments are not JSON: {error}", argument="arguments") from None
    except RecursionError:
        raise InvalidArgument("the arguments are nested too deeply", argument="arguments") from None
    if not isinstance(given, dict):
        kind = "null" if given is None else f"a JSON {type(given).__name__}"
        message = f'the arguments are {kind}; expected an object, as {{"goal_id": "G-1"}}'
        raise InvalidArgument(message, argument="arguments")
    return given


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's fields; one that is given twice would be read as only the last."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise InvalidArgument(f"the arguments contain {twice!r} twice; remove one", argument="arguments")
    return fields
