"""`mabos models`: the models in the settings, and a trial of one of them."""

from typing import TYPE_CHECKING

import click

from mabos.interfaces.cli.request import CommandRequest, command, group

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.configs.settings import Settings
    from mabos.interfaces.trial import Listed


@group("models", default=True)
def models(request: CommandRequest) -> None:
    """List the configured models: the active one, endpoints, keys, and prices."""
    from dataclasses import asdict

    from mabos.interfaces.trial import list_endpoints
    from mabos.interfaces.views.words import table

    settings, surroundings = request.settings()
    found, chosen = list_endpoints(settings, surroundings), settings.models

    def show(out: "Console") -> None:
        rows = [
            (
                "*" if one.is_active else "",
                one.name,
                one.model,
                one.base_url or one.provider.partition(":")[0],
                one.key,
                "unknown"
                if one.input_usd is None or one.output_usd is None
                else f"{one.input_usd:g}/{one.output_usd:g}",
            )
            for one in found
        ]
        out.print(table("", "profile", "model", "endpoint", "key", "$ per million in/out", rows=rows))
        for one in found:
            if one.is_active and one.fault:
                out.print(f"{one.name}: {one.fault}.", markup=False)
        for phase, name in chosen.phases.items():
            out.print(f"{phase}: {name}", markup=False)
        if chosen.replay:
            out.print(f"Answers come from the recording {chosen.replay}; no model is called.", markup=False)
        elif not any(one.is_active and one.name in chosen.profiles for one in found):
            out.print("No chat model is in use: agents run on formulas, rules, cases and plans.")
        if chosen.record:
            out.print(f"Every call is recorded in {chosen.record}.", markup=False)

    request.answer({"models": [asdict(one) for one in found], "record": chosen.record, "replay": chosen.replay}, show)


@command("try", parent=models)
@click.argument("profile", default="")
@click.option("--question", default="", help="A question to replace the default one.")
def try_(request: CommandRequest, profile: str, question: str) -> None:
    """Ask PROFILE (by default the one in use; `embedding` for vectors) and say how long it took and what it cost.

    It asks for prose and for a filled-in form, and suggests a fix for each failure. The calls may cost a fraction of a
    cent. Nothing is written into the workspace.
    """
    from dataclasses import asdict

    from mabos.interfaces.trial import QUESTION, try_endpoint

    settings, surroundings = request.settings()
    name = profile or _in_use(settings)
    steps = try_endpoint(settings, surroundings, name, question or QUESTION)
    done = all(one.ok for one in steps)

    def show(out: "Console") -> None:
        for one in steps:
            took = f"{one.seconds:.1f} s, {one.tokens} tokens, ${one.usd:.6f}" if one.ok else f"{one.seconds:.1f} s"
            out.print(f"{'✓' if one.ok else '✗'}  {one.what:<7} {took}", markup=False)
            out.print(f"   {one.says}", markup=False, soft_wrap=True)

    request.answer({"profile": name, "ok": done, "steps": [asdict(one) for one in steps]}, show, done=done)


def _price(one: "Listed") -> str:
    if one.input_usd is None or one.output_usd is None:
        return "unknown"
    return f"{one.input_usd:g}/{one.output_usd:g}"


def _in_use(settings: "Settings") -> str:
    from mabos.configs.errors import Unavailable

    if settings.models.profile is None:
        known = ", ".join(settings.models.profiles)
        raise Unavailable(
            f"no chat model is in use; name one to try, of {known}, or set OPENAI_API_KEY or OPENAI_BASE_URL"
        )
    return settings.models.active
