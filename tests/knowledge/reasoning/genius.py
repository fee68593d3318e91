"""Domains of negotiation in the format of Genius (ANAC) as problems, read as data."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_PROFILE = re.compile(r"domain\.xml$", re.IGNORECASE)


def read(folder: Path) -> dict[str, Any]:
    """Return a domain with its two profiles; what an option is worth is its share of the best of its issue."""
    profiles = [path for path in sorted(folder.glob("*.xml")) if not _PROFILE.search(path.name)]
    roots = [ElementTree.fromstring(path.read_text("utf-8")) for path in profiles]  # noqa: S314  # files of our own
    issues = {
        str(issue.get("name")): [str(item.get("value")) for item in issue.iter("item")]
        for issue in roots[0].iter("issue")
    }
    return {
        "kind": "bargaining",
        "issues": issues,
        "parties": {path.stem: _party(root) for path, root in zip(profiles, roots, strict=True)},
    }


def _party(root: ElementTree.Element) -> dict[str, Any]:
    names = {issue.get("index"): str(issue.get("name")) for issue in root.iter("issue")}
    values: dict[str, dict[str, float]] = {}
    for issue in root.iter("issue"):
        given = {str(item.get("value")): float(item.get("evaluation", "0")) for item in issue.iter("item")}
        most = max(given.values())
        values[str(issue.get("name"))] = {option: worth / most for option, worth in given.items()}
    reservation, discount = root.find(".//reservation"), root.find(".//discount_factor")
    return {
        "weights": {names[one.get("index")]: float(one.get("value", "0")) for one in root.iter("weight")},
        "values": values,
        "reservation": 0.0 if reservation is None else float(reservation.get("value", "0")),
        "discount": 1.0 if discount is None else float(discount.get("value", "1")),
    }
