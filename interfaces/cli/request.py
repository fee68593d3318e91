"""The context of a command: the workspace, the answer's form, and error handling.

A command is an ordinary function whose first parameter is the `CommandRequest`:

    @command("status")
    @click.argument("business_id")
    def status(request: CommandRequest, business_id: str) -> None:
        with request.open() as services:
            request.answer({"id": business_id}, lambda out: out.print(business_id))
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mabos.configs.errors import Damaged, MabosError, file_refused
from mabos.workspace.currencies import speaking_in

if TYPE_CHECKING:
    from rich.console import Console

    from mabos.configs.settings import Environment, Settings
    from mabos.tools.runtime.services import Services

Function = Callable[..., None]
_ANSWER = "mabos.answer"
_NOTHING_YET = ("", True, False)
_PLAIN_WIDTH = 160  # a pipe has no width of its own, and what a table cuts off is lost to it


class _Named(click.types.StringParamType):
    """A text that names something. An empty one comes from an unset shell variable; it is not "none" or "all"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return check_nonempty(self, value, param, ctx)


class _WorkspacePath(click.Path):
    """A path; an empty one is not the folder one happens to be in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(check_nonempty(self, value, param, ctx), param, ctx)


def check_nonempty(
    kind: "click.ParamType[Any]", value: Any, param: click.Parameter | None, ctx: click.Context | None
) -> Any:
    """Return `value` unless it is empty text, which is wrong usage."""
    if value == "":
        kind.fail("it is empty; name one" + (", or leave it out" if param and not param.required else ""), param, ctx)
    return value


NAMED = _Named()
PLACE = _WorkspacePath(path_type=Path)


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """An invocation: the named workspace, if any, and whether the answer is JSON."""

    named: Path | None = None
    json: bool = False

    @property
    def place(self) -> Path:
        """The workspace's path: `--workspace`, else `MABOS_WORKSPACE`, else `./workspace`; absolute."""
        if self.named is None:
            from mabos.configs.settings import environment

            return environment().workspace.resolve()
        return self.named.resolve()

    def root(self) -> Path:
        """Return the workspace's path; if it is missing, raise `UnknownId` with the command that creates one."""
        from mabos.interfaces.places import existing

        return existing(self.place)

    def settings(self) -> tuple["Settings", "Environment"]:
        """Return settings and environment; models can be tested without a workspace."""
        from mabos.configs.settings import environment, load_settings

        place, surroundings = self.place, environment()
        return load_settings(place if place.is_dir() else None, surroundings), surroundings

    @contextmanager
    def open(self, *, create: bool = False) -> Iterator["Services"]:
        """Open the stores of the workspace without LangGraph, and close them afterwards.

        Only commands that set up something may `create` it: elsewhere a mistyped path would become a workspace. A
        damaged file that could not be updated blocks no answer: the changes are in journals.
        """
        from mabos.interfaces.places import is_workspace

        root = self.place if create else self.root()
        is_new = not is_workspace(root)
        from mabos.interfaces.facade import open_workspace

        workspace = open_workspace(root)
        try:
            if is_new:
                self.notice(f"made a workspace in {root}")
            with speaking_in(workspace.services.directory.currency_of("")):
                yield workspace.services
        except BaseException:
            with suppress(Damaged):
                workspace.close()
            raise
        try:
            workspace.close()
        except Damaged as error:
            _, done, names_damage = click.get_current_context().meta.get(_ANSWER, _NOTHING_YET)
            if not done and not names_damage:
                raise  # what was not done has its reason in this
            if done:
                self.notice(f"mabos: {error.message}")

    def answer(
        self, data: Any, show: Callable[["Console"], None], *, done: bool = True, names_damage: bool = False
    ) -> None:
        """Answer with `data` as JSON, or with the output of `show` for people; exit code 1 unless `done`.

        The answer is given when the command ends, so that an error while closing the workspace is not a second one.
        That error is also dropped if the answer is not `done` and `names_damage` itself.
        """
        text = _as_json(data) + "\n" if self.json else _render_text(show)
        click.get_current_context().meta[_ANSWER] = (text, done, names_damage)

    def notice(self, text: str) -> None:
        """Print a message about progress on standard error."""
        from mabos.interfaces.visible import visible

        click.echo(visible(text), err=True)

    def fail(self, error: MabosError, *, code: int = 1) -> NoReturn:
        """Report an error on one line, with the problem, the object and the remedy, and exit with its code."""
        if self.json:
            click.echo(fault(error.code, error.message, error.argument))
        else:
            self.notice(f"mabos: {error.message}")
        raise click.exceptions.Exit(code)


def fault(code: str, message: str, argument: str | None) -> str:
    """Return an error in its JSON form for standard output."""
    return _as_json({"ok": False, "error": {"code": code, "message": message, "argument": argument}})


def tell() -> None:
    """Print the pending answer, if any; raises `Exit` with code 1 if it reports an unfinished task."""
    text, done, _ = click.get_current_context().meta.pop(_ANSWER, _NOTHING_YET)
    click.echo(text, nl=False)
    if not done:
        raise click.exceptions.Exit(1)


def _as_json(data: Any) -> str:
    from mabos.interfaces.visible import escape_unseen

    return escape_unseen(json.dumps(data, ensure_ascii=False, indent=2))


def _render_text(show: Callable[["Console"], None]) -> str:
    out = console()
    with out.capture() as shown:
        show(out)
    if out.is_terminal:
        return shown.get()
    return "".join(f"{line.rstrip()}\n" for line in shown.get().splitlines())  # a table's padding is for the eye


def console(*, err: bool = False) -> "Console":
    """Return a console with colours and boxes for a terminal and plain text for a pipe."""
    from rich.console import Console

    from mabos.interfaces.visible import guard_console

    plain = Console(stderr=err)
    wide = Console(stderr=err, width=_PLAIN_WIDTH, highlight=False, soft_wrap=True)
    return guard_console(plain if plain.is_terminal else wide)


def _remember(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep an option for the command, whether it stood before or after the command's name."""
    if value:
        ctx.meta[f"mabos.{parameter.name}"] = value


def answer_options(function: Function) -> Function:
    """Return `function` with the common options: `--workspace` and `--json`."""
    workspace = click.option(
        "--workspace", "-w", type=PLACE, expose_value=False, callback=_remember, metavar="DIR",
        help="The workspace [default: $MABOS_WORKSPACE, else ./workspace].",
    )  # fmt: skip
    as_json = click.option(
        "--json", is_flag=True, expose_value=False, callback=_remember, help="Answer with JSON on standard output."
    )
    return workspace(as_json(function))


def current() -> CommandRequest:
    """Return the request of the running invocation."""
    meta = click.get_current_context().meta
    return CommandRequest(named=meta.get("mabos.workspace"), json=bool(meta.get("mabos.json")))


def answering(function: Function, *, only_json: bool = False) -> Function:
    """Return `function` called with the request; errors become one line and an exit code."""

    @wraps(function)
    def run_command(*args: Any, **kwargs: Any) -> None:
        request = replace(current(), json=True) if only_json else current()
        try:
            function(request, *args, **kwargs)
            tell()
        except MabosError as error:
            request.fail(error)
        except BrokenPipeError:
            raise
        except OSError as error:
            request.fail(file_refused(error))
        except Exception as error:
            if is_of_a_database(error):
                request.fail(MabosError(f"{error}: free disk space, make it writable, or remove .mabos/*.sqlite"))
            raise

    return run_command


def is_of_a_database(error: Exception) -> bool:
    """Return whether a derived database raised it; SQLite is checked only now, as most commands never load it."""
    import sqlite3

    return isinstance(error, sqlite3.Error)


def command(
    name: str, *, parent: click.Group | None = None, only_json: bool = False
) -> Callable[[Function], click.Command]:
    """Return a decorator that makes a function a command with the common options."""

    def build_command(function: Function) -> click.Command:
        found = click.command(name)(answer_options(answering(function, only_json=only_json)))
        if parent is not None:
            parent.add_command(found)
        return found

    return build_command


def group(name: str, *, default: bool = False) -> Callable[[Function], click.Group]:
    """Return a decorator that makes a function a group of commands; with `default` it is also a command.

    Such a group receives the request, and is not called if one of its commands is named.
    """

    def build_command(function: Function) -> click.Group:
        @wraps(function)
        def alone() -> None:
            if default and click.get_current_context().invoked_subcommand is None:
                answering(function)()

        return click.group(name, invoke_without_command=default)(answer_options(alone))

    return build_command
