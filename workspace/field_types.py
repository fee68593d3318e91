"""Types for the fields of stored records: valid values, and other forms a person may have written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from annotated_types import Ge, Le, MinLen
from pydantic import AliasChoices, Field, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, core_schema

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import iso, parse_time

_USUAL_TIME: Final = r"^([12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)?$"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """Annotation: an invalid value is passed through `repair` and checked once more.

    `pattern` narrows which texts are valid at once. `repair` raises `ValueError` for a value it cannot interpret.
    """

    repair: Callable[[Any], Any]
    pattern: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a union that tries the plain type first, so that a usual value never leaves native code."""
        plain = handler(source)
        usual = core_schema.str_schema(pattern=self.pattern) if self.pattern else plain
        repaired = core_schema.no_info_before_validator_function(self.repair, plain)
        return core_schema.union_schema([(usual, ""), (repaired, "")], mode="left_to_right")


def _checked_time(value: Any) -> Any:
    if isinstance(value, int | float) or (value and isinstance(value, str)):  # a number is read as its text
        try:
            parse_time(str(value))
        except InvalidArgument as error:
            raise ValueError(error.message) from None
    return value


def _sortable_time(value: Any) -> str:
    text = str(value or "")
    try:
        return iso(parse_time(text))
    except InvalidArgument:
        return text


def _normalize_texts(value: Any) -> Any:
    if not value:
        return ()
    return (value,) if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return value


Share = Annotated[float, Ge(0), Le(1)]
"""A number from 0 to 1."""
Filled = Annotated[str, MinLen(1)]
"""A text that is not empty; an empty one is the same as a missing one."""
Flag = Annotated[bool, Strict()]
"""True or false, not a word or a number that may mean it."""
Count = Annotated[int, Otherwise(_whole)]
"""A whole number; another number loses its fraction."""
Time = Annotated[str, Otherwise(_checked_time, _USUAL_TIME)]
"""A time in ISO 8601, or an empty text."""
LooseTime = Annotated[str, Otherwise(_sortable_time, _USUAL_TIME)]
"""A time in the one form that sorts as text; a text that is not a time stays as it is."""
Texts = Annotated[tuple[str, ...], Otherwise(_normalize_texts)]
"""A list of texts; a single text is a list of one."""


def stored_as(*names: str) -> Any:
    """Return an annotation: the name of a field in the document, then other names under which it is read."""
    return Field(validation_alias=AliasChoices(*names), serialization_alias=names[0])
