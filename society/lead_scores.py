"""Lead scores from 0 to 100, with every part explained and unknown parts named.

score = 100 x (w_fit x fit + w_engagement x engagement + w_recency x recency) / (w_fit + w_engagement + w_recency)

- fit: the share of traits known to fit: a segment the business serves, a company, a title of a decision maker
- engagement: 1 - 2^(-points / half points), of the points of every touch; 0 below zero points
- recency: 2^(-days since the last touch / half life)

Unknown parts count as 0; `at_most` is the score with their best possible values.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mabos.configs.outward import CrmSettings
from mabos.society.contacts import Contact
from mabos.society.deals import days
from mabos.workspace.text import terms

Part = Literal["fit", "engagement", "recency"]
PARTS: tuple[Part, ...] = ("fit", "engagement", "recency")


@dataclass(frozen=True, slots=True)
class Contribution:
    """A part of a score: its weight, its value from 0 to 1, the points it adds, and its grounds."""

    part: Part
    weight: float
    value: float
    points: float
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A lead's score with its parts; `unknown` names the unknown parts, `at_most` is the score at their best."""

    contact_id: str
    email: str
    name: str
    score: float
    at_most: float
    contributions: tuple[Contribution, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartScore:
    """An unweighted part: its value, its highest possible value, its grounds, and its unknowns."""

    value: float
    at_most: float
    because: tuple[str, ...]
    unknown: tuple[str, ...] = ()


def score(contact: Contact, segments: Sequence[str], settings: CrmSettings, now: datetime) -> Score:
    """Return the score of a contact for a business that serves `segments`."""
    parts = {"fit": fit(contact, segments, settings), "engagement": engagement(contact, settings),
             "recency": recency(contact, settings, now)}  # fmt: skip
    whole = sum(settings.weights.values())
    weights = {part: settings.weights.get(part, 0.0) / whole for part in PARTS}
    contributions = tuple(
        Contribution(
            part, round(weights[part], 4), round(parts[part].value, 4),
            round(100 * weights[part] * parts[part].value, 1), parts[part].because,
        )
        for part in PARTS
    )  # fmt: skip
    return Score(
        contact_id=contact.id,
        email=contact.email,
        name=contact.name,
        score=round(sum(100 * weights[part] * parts[part].value for part in PARTS), 1),
        at_most=round(sum(100 * weights[part] * parts[part].at_most for part in PARTS), 1),
        contributions=contributions,
        unknown=tuple(said for part in PARTS for said in parts[part].unknown),
    )


def fit(contact: Contact, segments: Sequence[str], settings: CrmSettings) -> PartScore:
    """Return how well a contact fits: a third for each of segment, company and title."""
    title = set(terms(contact.title))
    found: dict[str, tuple[bool | None, str]] = {
        "segment": _segment(contact.segment, segments),
        "company": (True, f"works for {contact.company}") if contact.company else (None, ""),
        "title": (None, ""),
    }
    if title:
        decides = not title.isdisjoint(settings.buyer_titles)
        found["title"] = (decides, f"{contact.title!r} {'decides' if decides else 'is no title of who decides'}")
    share = 1 / len(found)
    return PartScore(
        value=share * sum(fits is True for fits, _ in found.values()),
        at_most=share * sum(fits is not False for fits, _ in found.values()),
        because=tuple(why for fits, why in found.values() if fits is not None),
        unknown=tuple(name for name, (fits, _) in found.items() if fits is None),
    )


def engagement(contact: Contact, settings: CrmSettings) -> PartScore:
    """Return the engagement of a contact: one half at the half points, never quite 1."""
    if not contact.touches:
        return PartScore(0.0, 1.0, ("never in touch",), ("engagement",))
    counts = Counter(one.kind for one in contact.touches)
    points = sum(settings.points.get(kind, 0.0) * number for kind, number in counts.items())
    value = 1 - 2 ** (-max(0.0, points) / settings.engagement_half_points)
    said = (f"{kind} {number} x {settings.points.get(kind, 0.0):g}" for kind, number in counts.items())
    return PartScore(value, value, (*said, f"{points:g} points"))


def recency(contact: Contact, settings: CrmSettings, now: datetime) -> PartScore:
    """Return how recent the last touch is: one half after the half life."""
    if not contact.touches:
        return PartScore(0.0, 1.0, ("never in touch",), ("last touch",))
    last = max(contact.touches, key=lambda one: one.at)
    ago = days(last.at, now)
    value = 2 ** (-ago / settings.recency_half_life_days)
    return PartScore(value, value, (f"{last.kind} {ago:g} days ago",))


def rank_scores(scores: Iterable[Score]) -> list[Score]:
    """Return the scores, best first; ties go to the higher possible score, then by address."""
    return sorted(scores, key=lambda one: (-one.score, -one.at_most, one.email))


def formula(settings: CrmSettings) -> str:
    """Return the formula of scores, with the weights in the settings."""
    weights = " + ".join(f"{settings.weights.get(part, 0.0):g} x {part}" for part in PARTS)
    return (
        f"100 x ({weights}) / {sum(settings.weights.values()):g}; fit: a third each for segment, company and title; "
        f"engagement: 1 - 2^(-points / {settings.engagement_half_points:g}); "
        f"recency: 2^(-days / {settings.recency_half_life_days:g})"
    )


def _segment(segment: str, served: Sequence[str]) -> tuple[bool | None, str]:
    if not segment or not served:
        return None, ""
    wanted = set(terms(segment))
    for one in served:
        words = set(terms(one))
        if wanted <= words or words <= wanted:
            return True, f"segment {segment} is served"
    return False, f"segment {segment} is not among {', '.join(served)}"
