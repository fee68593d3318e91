"""`python -m mabos` is `mabos`."""

from mabos.cli import main

main()
