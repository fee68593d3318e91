"""Verbs of completion: their forms by kind of deed, and which deeds on record support which."""

import re
from functools import cache

from mabos.configs.yaml_file import packaged_yaml
from mabos.workspace.text import terms

WORDS = packaged_yaml("requests/deed_words.yaml")
"""The word lists of deeds, by name."""
FORMS: dict[str, str] = WORDS["forms"]
"""Participles and past forms of each kind; a deed's `kind` is one of them or of these names."""

NAMING = frozenset(terms("sent published paid agreed approved rejected filed cancelled"))
"""Kinds of which even "the paid invoice" says that it happened."""

STRONG = frozenset(terms(WORDS["strong"]))
"""Kinds that anybody's deed of is checked; of the others only what the writer or nobody in particular did."""

SUPPORTED_BY: dict[str, str] = WORDS["supported_by"]
"""The kinds of deed that support a claim of a kind; `done` is supported by every deed that takes effect."""

NO_EFFECT = frozenset(terms(WORDS["no_effect"]))
"""Kinds that leave the thing itself still to be done."""

OBSERVING = frozenset(terms(WORDS["observing"]))
"""Verbs that a reply may use freely: of looking, telling and reckoning, and of how figures move."""


@cache
def form_of(kind: str) -> re.Pattern[str]:
    """Return the pattern of all forms of a kind of deed, or of one verb without a kind."""
    return re.compile(rf"\b(?:{FORMS.get(kind, re.escape(kind))})\b", re.IGNORECASE)


@cache
def any_form() -> re.Pattern[str]:
    """Return the pattern of all forms of all kinds; the name of its group is the kind."""
    return re.compile("|".join(rf"\b(?P<{kind}>{forms})\b" for kind, forms in FORMS.items()), re.IGNORECASE)


@cache
def kind_named(words: str) -> str:
    """Return the kind of deed that words name: "emailed" is sent, "written to outbox" is recorded."""
    low = " ".join(words.lower().replace("_", " ").split())
    if low in FORMS:
        return low
    match = any_form().search(low)
    return match.lastgroup or low if match else low


def supporting(kind: str) -> frozenset[str]:
    """Return the kinds of deed that support a claim of this kind, except `done`."""
    return frozenset((*SUPPORTED_BY.get(kind, kind).split(), kind))
