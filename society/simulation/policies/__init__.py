"""Policies to compare a company of agents with: nothing, random, greedy, and a script of good rules.

A policy is a function of what the company can see (`sight.py`) and of luck, and returns moves: calls of catalogue
tools in the name of a role. `scripts.py` has the three that act and their table; `books.py` plays one against the
market in memory, for calibration and search. A run on disk performs the same moves through the call path.
"""
