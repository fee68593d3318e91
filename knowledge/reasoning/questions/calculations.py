"""An agent's figures, and arithmetic over figures as a form of a method."""

from collections.abc import Callable, Mapping

from mabos.knowledge.reasoning.questions.forms import FilledForm, HeldSeries, Holdings, Upshot
from mabos.knowledge.reasoning.questions.wording import Phrasing, stems


def held_series(q: Phrasing, held: Holdings) -> HeldSeries | None:
    """Return the agent's figure that a question fully names, preferring the longest name."""
    words = stems(q.plain)
    named = [one for name, one in held.series.items() if (parts := stems(name.replace("_", " "))) and parts <= words]
    named.sort(key=lambda one: -len(stems(one.name.replace("_", " "))))
    if len(named) > 1 and len(stems(named[0].name.replace("_", " "))) == len(stems(named[1].name.replace("_", " "))):
        return None
    return named[0] if named else None


def humanize_name(name: str) -> str:
    """Return the name of a figure in spoken form."""
    return name.replace("_", " ")


def build_calculation(
    given: Mapping[str, float],
    expression: str,
    outcome: str,
    echo: str,
    conclude: Callable[[float], Upshot],
    *,
    cites: tuple[str, ...] = (),
    assumes: str = "",
) -> FilledForm:
    """Return the form that computes an expression over given values, as an intervention on a model of equations."""
    equations = {name: repr(value) for name, value in given.items()} | {outcome: expression}
    problem = {
        "kind": "structural_model",
        "noise": {"nothing else": 1},
        "equations": equations,
        "do": dict(given),
        "outcome": outcome,
    }
    return FilledForm(
        "interventional", problem, echo, lambda result: conclude(float(result.answer.mean)), cites, assumes
    )
