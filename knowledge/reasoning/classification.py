"""The six questions by which a problem is classified (S0 section 25)."""

from typing import Literal

from mabos.knowledge.reasoning.problem import Part

Pressure = Literal["none", "moderate", "urgent"]


class Classification(Part):
    """What kind of problem it is. The defaults say nothing either way."""

    uncertainty: Literal["low", "medium", "high"] = "medium"
    complexity: Literal["simple", "moderate", "complex"] = "moderate"
    domain: Literal["formal", "empirical", "social", "mixed"] = "mixed"
    time_pressure: Pressure = "none"
    data_availability: Literal["rich", "moderate", "sparse"] = "moderate"
    stakes: Literal["low", "medium", "high"] = "medium"


NEUTRAL = Classification()
"""Of a problem of which nothing is known."""
