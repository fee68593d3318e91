"""`python -m mabos` is `mabos`."""

from mabos.interfaces.cli import main

main()
