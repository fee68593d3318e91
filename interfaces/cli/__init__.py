"""The command line: one file per command group, each loaded on demand.

Reading order: `front` (the table of commands), `request` (the input of every command: the workspace and the output
format), then any command; `run` is the best example. Command files import nothing but click at the top, so that `mabos
--help` answers at once; heavy modules are imported inside the function that needs them.

    from click.testing import CliRunner

    from mabos.interfaces.cli import front

    print(CliRunner().invoke(front, ["--help"]).output)
"""

from mabos.interfaces.cli.front import front, main

__all__ = ["front", "main"]
