"""The phases of a cycle as they happen, one line each, in words instead of ids."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from mabos.configs.yaml_file import packaged_yaml
from mabos.interfaces.views.words import count, format_value

if TYPE_CHECKING:
    from mabos.mind.mind import Mind
    from mabos.nodes.state import CycleReport

Event = Mapping[str, Any]
Named = Callable[[str], str]
Phrase = Callable[[Any, Named], str]


def _count_phrase(verb: str, noun: str) -> Phrase:
    return lambda value, _: f"{verb} {count(len(value) if isinstance(value, list | dict) else value, noun)}".strip()


def _naming(verb: str) -> Phrase:
    def phrase(value: Any, named: Named) -> str:
        ids = [value] if isinstance(value, str) else list(value)
        return f"{verb} {'; '.join(dict.fromkeys(map(named, ids)))}"

    return phrase


_TOLD = packaged_yaml("phase_phrases.yaml")
_PHRASES: dict[str, Phrase] = {
    **{name: _count_phrase(*words) for name, words in _TOLD["counted"].items()},
    **{name: _naming(verb) for name, verb in _TOLD["naming"].items()},
    "rejected": lambda value, _: f"did not believe {format_value(value)}",
    "no_plan": lambda value, _: f"because {'; '.join(dict.fromkeys(why for lacks in value.values() for why in lacks))}",
    "experience": lambda value, _: value[:1].lower() + value[1:],
    "sent_back": lambda value, _: f"sent its answer back: {value}",
    "without_model": lambda value, _: f"goes on without the model: {value}",
    "workflows": lambda value, _: f"in workflows: {'; '.join(f'{run} ({did})' for run, did in value.items())}",
    "followed": lambda value, _: (
        f"followed {'; '.join(f'{rule} ({came})' if came else rule for rule, came in value.items())}"
    ),
    "failure": lambda value, _: f"failed: {value}",
    "failures": lambda value, _: f"failed: {'; '.join(value)}",
    "outcome": lambda value, _: str(value),
}
"""The wording of a phase's notes; others appear under their own names or in another note."""

_SILENT = {
    "intention", "template", "source", "code", "step", "status", "ref", "ended", "revision", "applicable", "news_for",
}  # fmt: skip


def phase_printer(out: Console, mind: "Mind") -> Callable[[Event], None]:
    """Return a function that prints a line for each finished phase."""

    def on_event(event: Event) -> None:
        if event.get("status") == "done":
            out.print(phase_line(event, lambda one: _name(mind, one)))

    return on_event


def phase_line(event: Event, named: Named = str) -> str:
    """Return a phase's own report, like `perceive    heard 3 messages · revised 2 beliefs`."""
    noted: Mapping[str, Any] = event.get("noted") or {}
    phrases = [_step(noted)] if "tool" in noted else [f"chose the way at {noted['step']}"] if "step" in noted else []
    for name, value in noted.items():
        if name in _PHRASES:
            phrases.append(_PHRASES[name](value, named))
        elif name not in _SILENT and name != "tool":
            phrases.append(f"{name.replace('_', ' ')} {format_value(value)}")
    words = " · ".join(escape(phrase) for phrase in phrases) or "[dim]nothing to do[/dim]"
    return f"[bold]{event.get('phase', ''):<11}[/bold] {words}"


def _step(noted: Mapping[str, Any]) -> str:
    what = f"{noted['tool']} {noted.get('status', '')}".strip()
    ref = noted.get("ref")
    return f"{what} ({ref})" if ref else what


def _name(mind: "Mind", record_id: str) -> str:
    """Return the name of a record of a mind, or its id if the mind does not know it."""
    for kind, field in (("goals", "description"), ("desires", "name"), ("plans", "name")):
        for item in getattr(mind, kind):
            if item.id == record_id:
                return str(getattr(item, field))
    return record_id


def closing_line(report: "CycleReport") -> str:
    """Return the end of a cycle on one line, with the id of its record."""
    outcome = escape("; ".join([report.outcome or "done", *report.failures]))
    waiting = f"; waits for {', '.join(report.decision_ids)} (see: mabos decisions)" if report.decision_ids else ""
    return f"{escape(report.agent_id)}: {outcome}{escape(waiting)} [dim]({escape(report.cycle)})[/dim]"
