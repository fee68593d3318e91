"""A goal of several parts, taken apart where its words list them (S3 7.1)."""

import re

_BETWEEN = re.compile(r"\s*(?:;|\n|,\s+(?:and|then)\s+|\s+and\s+then\s+|\s+then\s+|,\s+|\s+and\s+)\s*", re.IGNORECASE)


def parts_of(goal_text: str) -> tuple[str, ...]:
    """Return what a goal lists, each part of two words or more; the goal itself where it lists nothing.

    >>> parts_of("Reduce churn, tell marketing and then review our runway")
    ('Reduce churn', 'tell marketing', 'review our runway')
    """
    text = goal_text.strip(" .")
    parts = tuple(part for part in _BETWEEN.split(text) if len(part.split()) > 1)
    return parts if len(parts) > 1 else (text,)
