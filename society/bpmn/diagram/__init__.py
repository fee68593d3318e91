"""Workflows as pictures: `layout.py` lays out a whole file, `extending.py` adds to a hand-drawn one.

`placing.py` finds places for new elements, `routing.py` lines between them; `svg.py` shows any file.
"""
