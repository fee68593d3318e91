"""Word lists for reading sentences: `configs/requests/words.yaml` as one frozen object."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mabos.configs.yaml_file import packaged_yaml, read_yaml

_SETS = ("abbreviations", "empty", "openers", "verbs", "informing", "wh", "auxiliaries")
FILE = Path(__file__).parents[1] / "configs" / "requests" / "words.yaml"


@dataclass(frozen=True, slots=True)
class WordLists:
    """The word lists; every pattern is for plain text (see `mabos.language.sentences.plain`)."""

    spellings: Mapping[str, str]
    greeting: re.Pattern[str]
    abbreviations: frozenset[str]
    empty: frozenset[str]
    openers: frozenset[str]
    verbs: frozenset[str]
    informing: frozenset[str]
    wh: frozenset[str]
    auxiliaries: frozenset[str]
    cues: Mapping[str, re.Pattern[str]]
    forms: Mapping[str, re.Pattern[str]]


@cache
def word_lists() -> WordLists:
    """Return the word lists, read once."""
    raw = read_yaml(FILE)
    words = {name: frozenset(str(raw[name]).split()) for name in _SETS}
    cues = {
        f"{act}.{name}": re.compile(pattern)
        for act, patterns in raw["cues"].items()
        for name, pattern in patterns.items()
    }
    forms = {name: re.compile(form) for name, form in raw["forms"].items()}
    return WordLists(raw["spellings"], re.compile(raw["greetings"]), **words, cues=cues, forms=forms)


def form(name: str) -> re.Pattern[str]:
    """Return a form of whole sentences by its name."""
    return word_lists().forms[name]


@cache
def _order_forms() -> dict[str, dict[str, Any]]:
    return packaged_yaml("requests/order_forms.yaml")


def order_table(name: str) -> Any:
    """Return an entry of `configs/requests/order_forms.yaml` by its module and name, as "tasks.hindrances"."""
    module, _, key = name.partition(".")
    return _order_forms()[module][key]


def order_form(name: str) -> re.Pattern[str]:
    """Return a pattern of that file, as "doubts.touches"."""
    return re.compile(order_table(name))


def order_words(name: str) -> frozenset[str]:
    """Return a list of words of that file."""
    return frozenset(order_table(name).split())
