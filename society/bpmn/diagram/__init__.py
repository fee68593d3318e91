"""Workflows as pictures: `layout.py` places elements and writes that into a file, `svg.py` shows any file."""
