"""Fault trees in the Open-PSA model exchange format, as problems."""

from math import exp
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "root_cause" / "fault_trees"
MISSION = 8760.0
"""Hours of a year, over which a rate of failure counts."""


def fault_tree(text: str) -> dict[str, Any]:
    """Return the fault tree of a file; its top is the gate no other gate has."""
    root = ET.fromstring(text)  # noqa: S314  # our own data
    gates = {one.attrib["name"]: _gate(one) for one in root.iter("define-gate")}
    parameters = {one.attrib["name"]: one for one in root.iter("define-parameter")}
    events = {one.attrib["name"]: _share(one, parameters) for one in root.iter("define-basic-event")}
    below = {name for gate in gates.values() for name in gate["of"]}
    (top,) = gates.keys() - below
    return {"kind": "fault_tree", "top": top, "gates": gates, "events": events}


def _gate(define: ET.Element) -> dict[str, Any]:
    formula = next(one for one in define if one.tag in ("and", "or", "atleast"))
    when = {"and": "all", "or": "any", "atleast": "at least"}[formula.tag]
    return {"when": when, "of": [one.attrib["name"] for one in formula], "least": int(formula.attrib.get("min", 1))}


def _share(define: ET.Element, parameters: dict[str, ET.Element]) -> float:
    value = next(one for one in define if one.tag in ("float", "exponential"))
    if value.tag == "float":
        return float(value.attrib["value"])
    return 1 - exp(-_rate(value[0], parameters) * MISSION)


def _rate(value: ET.Element, parameters: dict[str, ET.Element]) -> float:
    """Return a rate, of one that is spread its mean."""
    while value.tag == "parameter":
        value = parameters[value.attrib["name"]][0]
    inner = value if value.tag == "float" else value[0]
    return float(inner.attrib["value"])
