"""The plan library: templates from `configs/plans`, found by their purpose (S3 7.2).

match = load_library().search("reduce churn", role="coo")[0]
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from mabos.configs.errors import MabosError, unknown
from mabos.configs.extensions import extension_files, leave_out
from mabos.configs.yaml_file import read_yaml, validate_content
from mabos.mind.conditions import ConditionClause, direction, is_comparison, parse
from mabos.mind.model import Goal
from mabos.mind.templates import Template
from mabos.workspace.text import STOPWORDS, fold, terms

PLAN_FOLDER = Path(__file__).parents[1] / "configs" / "plans"
LIMIT = 5
FIT = 0.3
"""A template that fits a goal less than this is for something else."""
CLOSE = 0.5
"""The least fit of a template to the words of a goal that nothing can decide."""
_ANY, _ALIKE, _LIKENESS_COUNTS = 0.25, 0.4, 0.55
"""The likeness of meaning that any two goals have, the one that just fits, and how much more than that is full fit."""
NOTHING: Mapping[str, float] = MappingProxyType({})
_WEIGHTS = {"goals": 1.0, "metrics": 0.4, "summary": 0.3, "name": 0.5}
_ROLE_BONUS, _FOREIGN = 0.25, 0.5
_IDLE = frozenset(terms("achieve maintain keep make get ensure improve plan goal target company business month months"))


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """A template and how well it fits, in [0, 1]."""

    template: Template
    score: float


class Library:
    """Plan templates by name; search by words alone gives the same results on every machine."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self._templates = {template.name: template for template in templates}
        self._words = {template.name: _weighted_words(template) for template in templates}

    def __len__(self) -> int:
        return len(self._templates)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all templates, sorted."""
        return tuple(sorted(self._templates))

    def template(self, name: str) -> Template:
        """Return one template; raises `UnknownId`."""
        if name not in self._templates:
            raise unknown("plan template", name, self._templates, argument="name")
        return self._templates[name]

    def rest_days(self, name: str, *, otherwise: float) -> float:
        """Return how many days a goal rests after a plan of this template; `otherwise` if it is unknown."""
        return self._templates[name].rest_days if name in self._templates else otherwise

    def shows_after_days(self, name: str, *, otherwise: float) -> float:
        """Return the days until a plan of this template shows its effect; `otherwise` if it is unknown."""
        return self._templates[name].shows_after_days if name in self._templates else otherwise

    def is_routine(self, name: str) -> bool:
        """Return whether plans of this template allow for work in progress, and are always planned from scratch."""
        return name in self._templates and self._templates[name].routine

    @property
    def phrases(self) -> dict[str, tuple[str, ...]]:
        """The purpose of each template, by name: its goals and its summary, for comparison by meaning."""
        return {name: (*one.goals, one.summary) for name, one in self._templates.items()}

    def search(
        self,
        goal_text: str,
        role: str = "",
        limit: int = LIMIT,
        *,
        domain: str = "",
        base: str = "",
        alike: Mapping[str, float] = NOTHING,
    ) -> list[TemplateMatch]:
        """Return the templates for `goal_text`, best first, ties by name.

        The score is the share of the goal's words that a template covers, or its similarity in meaning (`alike`, -1 to
        1, by template) if that is higher. It is slightly higher for the agent's role and halved for another role. It is
        halved for another kind of business than `domain`, whose roles have the texts of `base`.
        """
        wanted = stems(goal_text)
        found = []
        for name, template in self._templates.items():
            score = max(_overlap(wanted, self._words[name]), _scale_likeness(alike.get(name, 0.0)))
            if score > 0:
                at_home = not domain or not template.domains or bool({domain, base} & set(template.domains))
                score = _for_role(score, template, role) * (1.0 if at_home else _FOREIGN)
                found.append(TemplateMatch(template, round(score, 4)))
        return sorted(found, key=lambda match: (-match.score, match.template.name))[:limit]


def serves(template: Template, goal: Goal) -> bool:
    """Return whether the declared results of a template can satisfy the target of a goal.

    A figure must move in the target's direction; anything else must be an effect of a step. A goal without a decidable
    target is served by templates with similar words, unless a template requires a target.
    """
    wanted = goal.target or next(filter(is_comparison, goal.success_criteria), "")
    moved = {found for one in template.results if (found := direction(one)) is not None}
    if (asked := direction(wanted)) is not None and not is_comparison(wanted):
        return asked in moved
    if not is_comparison(wanted):
        return not template.targeted
    predicted = {" ".join(one.split()[:2]): one.split(maxsplit=2)[-1] for one in _effects(template)}
    return any(all(_satisfies(clause, moved, predicted) for clause in clauses) for clauses in parse(wanted))


def _effects(template: Template) -> list[str]:
    return [effect for step in template.every_step for effect in step.effects]


def _satisfies(clause: ConditionClause, moved: Collection[tuple[str, str]], predicted: Mapping[str, str]) -> bool:
    if clause.op in (">", ">=", "<", "<="):
        return (clause.subject, "higher" if clause.op[0] == ">" else "lower") in moved
    value = predicted.get(clause.subject)
    return value is not None and (fold(value) == fold(clause.value)) == (clause.op == "=")


@cache
def load_library(folder: Path = PLAN_FOLDER) -> Library:
    """Return the library in `folder`: our plans and those of installed packages.

    Raises `Damaged` or `InvalidArgument` with the file at fault; a fault of a package leaves its plan out.
    """
    found = [_read(path) for path in sorted(folder.glob("*.yaml"))]
    return Library([*found, *_load_installed({one.name for one in found})] if folder == PLAN_FOLDER else found)


NO_PLANS: Final = Library(())


def plans_given(plans: Iterable[Mapping[str, Any]]) -> Library:
    """Return plans defined in code, each like the content of a file; raises `InvalidArgument` with the faulty key."""
    return Library([validate_content(Template, one, f"plans[{number}]") for number, one in enumerate(plans)])


def library_in(folder: Path, given: Library = NO_PLANS) -> Library:
    """Return our library overlaid with the plans in a workspace's `folder`, and then with those `given`.

    A file that cannot be read is left out and named by `mabos doctor`.
    """
    own = tuple((path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.yaml")))
    return _laid_over(own, given) if own or len(given) else load_library()


@lru_cache(maxsize=16)
def _laid_over(own: tuple[tuple[Path, int], ...], given: Library) -> Library:
    ours = load_library()
    found = {name: ours.template(name) for name in ours.names}
    for path, _ in own:
        try:
            found |= {(template := _read(path)).name: template}
        except MabosError as error:
            leave_out("mabos.plans", f"plans/{path.name}", error.message)
    return Library([*(found | {name: given.template(name) for name in given.names}).values()])


def _read(path: Path) -> Template:
    return validate_content(Template, read_yaml(path), path.name)


def _load_installed(taken: Collection[str]) -> Iterator[Template]:
    for path in extension_files("mabos.plans"):
        try:
            template = _read(path)
        except MabosError as error:
            leave_out("mabos.plans", path.stem, error.message)
            continue
        if template.name in taken:
            leave_out("mabos.plans", path.stem, f"there is a plan {template.name!r} already")
        else:
            yield template


def _weighted_words(template: Template) -> list[tuple[frozenset[str], float]]:
    """Return the sets of words that a goal is matched with: each goal phrase alone, then the rest."""
    groups = [(stems(phrase), _WEIGHTS["goals"]) for phrase in template.goals]
    groups.append((stems(" ".join(template.metrics)), _WEIGHTS["metrics"]))
    groups.append((stems(template.summary), _WEIGHTS["summary"]))
    groups.append((stems(template.name), _WEIGHTS["name"]))
    return groups


def _overlap(wanted: frozenset[str], groups: Sequence[tuple[frozenset[str], float]]) -> float:
    """Return the best match of a phrase, topped up by the share of the other words, in [0, 1]."""
    if not wanted:
        return 0.0
    best = max((_dice(wanted, words) * weight for words, weight in groups if weight >= 1), default=0.0)
    covered = sum(max((weight for words, weight in groups if word in words), default=0.0) for word in wanted)
    return 0.6 * best + 0.4 * covered / len(wanted)


def _scale_likeness(likeness: float) -> float:
    """Return the fit that a likeness of meaning amounts to: too little for a plan below `_ALIKE`, nothing at `_ANY`."""
    if likeness < _ALIKE:
        return max(0.0, likeness - _ANY)
    return min(1.0, FIT + (likeness - _ALIKE) * (1 - FIT) / _LIKENESS_COUNTS)


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _for_role(score: float, template: Template, role: str) -> float:
    if not role or not template.roles:
        return score * (1 - _ROLE_BONUS)
    if role in template.roles:
        return min(1.0, score * (1 - _ROLE_BONUS) + _ROLE_BONUS * min(1.0, 2 * score))
    return score * _FOREIGN


def stems(text: str) -> frozenset[str]:
    """Return a goal's topic: the stems of its words, without numbers and generic goal words."""
    return frozenset(_stem(word) for word in terms(text) if word not in STOPWORDS | _IDLE and not word.isdigit())


def _stem(word: str) -> str:
    """Return a word without its commonest endings: enough for `churning customers` to meet `churn customer`."""
    for ending in ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ers", "er", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + ("y" if ending == "ies" else "")
    return word
