"""Workflows as pictures: `layout.py` places elements, `drawing.py` writes that into a file, `svg.py` shows any file."""
