"""The table of commands, and the group that loads a command on demand."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any

import click

from mabos.configs.errors import closest
from mabos.interfaces.cli.request import answer_options, fault
from mabos.interfaces.visible import visible

COMMANDS = (
    "init", "business", "run", "chat", "live", "simulate", "compare", "replay", "mind", "memory", "decisions",
    "workflows", "why", "reason", "agent", "tools", "servers", "call", "heartbeat", "branch", "graph", "verify",
    "rebuild", "doctor", "models", "dashboard", "studio", "mcp", "serve",
)  # fmt: skip
"""In the order a newcomer meets them; each is the object of that name in the module of that name."""

_AS_JSON = "mabos.front.json"
_STOPPED = 130
"""The exit code of what Ctrl-C ended, as shells expect it: 128 and the number of the signal."""


class Misused(click.UsageError):
    """Wrong usage, reported like every other error: on one line, or as JSON if requested."""

    def __init__(self, error: click.UsageError, *, as_json: bool) -> None:
        super().__init__(" ".join(error.format_message().split()).rstrip("."), error.ctx)
        named = getattr(error, "param", None)
        self.argument: str | None = named.name if named is not None else getattr(error, "option_name", None)
        self.as_json = as_json

    def show(self, file: IO[Any] | None = None) -> None:
        """Report the error, and where to find the correct usage."""
        help_is = f"; see: {self.ctx.command_path} --help" if self.ctx and "--help" not in self.message else ""
        if self.as_json:
            click.echo(fault("invalid_argument", self.message + help_is, self.argument))
        else:
            click.echo(f"mabos: {visible(self.message)}{help_is}", err=True, file=file)


@contextmanager
def _in_one_line(*, as_json: bool) -> Iterator[None]:
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise Misused(error, as_json=as_json) from None


class Front(click.Group):
    """A group whose commands are imported by name, and which reports wrong usage on one line."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of an invocation, which knows whether the answer should be JSON."""
        as_json = "--json" in args
        with _in_one_line(as_json=as_json):
            made = super().make_context(info_name, args, parent, **extra)
        made.meta[_AS_JSON] = as_json
        return made

    def invoke(self, ctx: click.Context) -> Any:
        """Run the named command."""
        try:
            with _in_one_line(as_json=bool(ctx.meta.get(_AS_JSON))):
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("mabos: stopped", err=True)
            ctx.exit(_STOPPED)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click names it
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click names it
        """Return the command, or None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"mabos.interfaces.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named in `args`; for an unknown one suggest the nearest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = closest(args[0], COMMANDS)
            advice = f"did you mean {close!r}?" if close else "see `mabos --help`"
            raise click.UsageError(f"no command {args[0]!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"mabos {version('mabos')}")
    except PackageNotFoundError:
        click.echo("mabos, run from its source without being installed")
    ctx.exit()


@click.command(cls=Front, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@answer_options
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
def front() -> None:
    """MABOS: nine agents with beliefs, desires and intentions run a company.

    Start with `mabos init my-company`, then `mabos business create`, then `mabos chat`; or watch a whole quarter
    with `mabos simulate saas`. Every command takes --workspace (else $MABOS_WORKSPACE, else ./workspace) and --json.
    """


def main() -> None:
    """Run the command line: exit code 0 means done, 1 refused or failed, 2 wrong usage, 130 stopped by Ctrl-C."""
    _tune()
    front(prog_name="mabos")


def _tune() -> None:
    """Set up the interpreter for long-lived records: the process is ours here, as in no other place."""
    import gc

    # Stores that are opened make very many objects that all stay; to go through them again and again while they are
    # made costs about a third of the time (measured with 60,000 facts).
    gc.set_threshold(50_000, 20, 50)
