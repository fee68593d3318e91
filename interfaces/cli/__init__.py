"""The command line: one file a command group, each loaded when it is asked for.

Reading order: `front` (the table of commands), `request` (what every command is given: where to work and how to
answer), then any command; `run` shows the most. Command files import nothing but click at the top, so that
`mabos --help` answers at once; what is heavy is imported inside the function that needs it.

    from click.testing import CliRunner

    from mabos.interfaces.cli import front

    print(CliRunner().invoke(front, ["--help"]).output)
"""

from mabos.interfaces.cli.front import front, main

__all__ = ["front", "main"]
