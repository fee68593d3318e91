"""Words of a text, cut the same way for the index and for every search without one."""

import re

_WORD = re.compile(r"[^\W_]+")


def terms(text: str) -> list[str]:
    """Return the words of `text` in order, in lower case; anything but letters and digits separates, `_` too."""
    return _WORD.findall(text.lower())


def folded(word: str) -> str:
    """Return a word as it is looked up behind a pattern that minds no case: to that the Turkish i, ı and İ, is an i."""
    return word.replace("ı", "i").replace("İ", "i").casefold()


STOPWORDS = frozenset(
    terms(
        """
        a about above after again against all am an and any are aren as at be because been before being
        below between both but by can cannot could couldn d did didn do does doesn doing don down during
        each few for from further had hadn has hasn have haven having he her here hers herself him himself
        his how i if in into is isn it its itself just ll m me might more most my myself no nor not now of
        off on once only or other our ours ourselves out over own re s same shall she should shouldn so some
        such t than that the their theirs them themselves then there these they this those through to too
        under until up us ve very was wasn we were weren what when where which while who whom why will with
        won would wouldn you your yours yourself yourselves
        """
    )
)


def query_terms(text: str) -> list[str]:
    """Return the distinct words of a query that carry meaning, in order; all of them if none does."""
    words = list(dict.fromkeys(terms(text)))
    return [word for word in words if word not in STOPWORDS] or words
