"""The player of a scenario: a policy, and the parts that its agents lack, to measure their value.

>>> PolicyVariant.parsed("bdi-without-learning").without
('learning',)
>>> PolicyVariant("bdi", ("governance", "learning")).label
'bdi-without-governance-learning'
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from mabos.configs.errors import InvalidArgument

Policy = Literal["bdi", "bdi-model", "rules", "constant", "bandit", "price-learner", "greedy", "random", "nothing"]
Part = Literal["coordination", "learning", "reconsideration", "governance"]

POLICIES: tuple[str, ...] = get_args(Policy)
PARTS: tuple[str, ...] = get_args(Part)
WITH_MODEL = "bdi-model"
AGENTS = frozenset({"bdi", WITH_MODEL})
"""The policies in which agents think; scripts have no parts to take out."""

_JOINED = "-without-"


@dataclass(frozen=True, slots=True)
class PolicyVariant:
    """A policy and the parts that it lacks, in alphabetical order."""

    policy: str
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check both names; raises `InvalidArgument` that lists the known ones."""
        _check_name(self.policy, POLICIES, "policy")
        for part in self.without:
            _check_name(part, PARTS, "without")
        if self.without and self.policy not in AGENTS:
            message = f"policy {self.policy!r} has no parts to take out; only {' and '.join(sorted(AGENTS))} have"
            raise InvalidArgument(message, argument="without")

    @classmethod
    def of(cls, policy: str, without: Iterable[str] = ()) -> "PolicyVariant":
        """Return the contender without these parts, each listed once."""
        return cls(policy, tuple(sorted(set(without))))

    @classmethod
    def parsed(cls, label: str) -> "PolicyVariant":
        """Return the contender that a label names."""
        policy, joined, parts = label.partition(_JOINED)
        return cls.of(policy, parts.split("-") if joined else ())

    @property
    def label(self) -> str:
        """The name in tables and folders."""
        return f"{self.policy}{_JOINED}{'-'.join(self.without)}" if self.without else self.policy

    @property
    def is_agents(self) -> bool:
        """Return whether agents run the company."""
        return self.policy in AGENTS


def _check_name(name: str, names: tuple[str, ...], argument: str) -> None:
    if name not in names:
        what = "policy" if argument == "policy" else "part of an agent"
        raise InvalidArgument(f"{what} {name!r} is not known; use one of {', '.join(names)}", argument=argument)
