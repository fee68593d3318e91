"""Workflows as pictures: `layout.py` lays out a whole file, `extending.py` adds to a hand-drawn one.

`placing.py` positions new elements, `routing.py` draws lines between them; `svg.py` shows any file.
"""
