"""Personal data and secrets kept out of what is stored, and told of (S2, "PII Detection")."""

from dataclasses import dataclass, field
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.sensitive import Policy, screened


@dataclass(slots=True)
class Screening:
    """The screening of one write: what was found is in `notices`, by place and kind, never as it stood."""

    policy: Policy
    notices: list[str] = field(default_factory=list)

    def text(self, text: str, place: str) -> str:
        """Return a text as it may be stored; raises `InvalidArgument` where it may not be."""
        try:
            done = screened(text, self.policy)
        except InvalidArgument as error:
            raise InvalidArgument(f"{place}: {error.message}", argument=place) from None
        kinds = ", ".join(dict.fromkeys(one.kind for one in done.found))
        if kinds:
            self.notices.append(f"{place} {'had' if self.policy == 'redact' else 'holds'} what is sensitive: {kinds}")
        return done.text

    def value(self, value: Any, place: str) -> Any:
        """Return a value with every text in it as it may be stored."""
        if isinstance(value, str):
            return self.text(value, place)
        if isinstance(value, dict):
            return {key: self.value(one, f"{place}.{key}") for key, one in value.items()}
        return [self.value(one, place) for one in value] if isinstance(value, list | tuple) else value
