"""Text shortening, single lines, words, names and keys: one implementation each for the whole project."""

import re

_WORD = re.compile(r"[^\W_]+")


def terms(text: str) -> list[str]:
    """Return the words of `text` in order, in lower case; everything but letters and digits separates, `_` too."""
    return _WORD.findall(text.lower())


def fold(text: str) -> str:
    """Return the words of `text` without case and punctuation, so that two spellings of one phrase are equal.

    >>> fold("Board_meeting:  moved!") == fold("board meeting moved")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))


def fold_case(word: str) -> str:
    """Return a word as a case-insensitive pattern matches it; the Turkish ı and İ become i."""
    return word.replace("ı", "i").replace("İ", "i").casefold()


def one_line(text: str) -> str:
    r"""Return `text` on one line, with a single space for every run of white space.

    >>> one_line("  from here    to   there ")
    'from here to there'
    """
    return " ".join(text.split())


def shorten(text: str, limit: int, *, mark: str = "…", at_word: bool = False) -> str:
    """Return `text` in at most `limit` characters; a longer one is cut and ends in `mark`.

    With `at_word` the cut is between two words, if there are two.

    >>> shorten("from here to there", 12)
    'from here t…'
    >>> shorten("from here to there", 14, mark=" …", at_word=True)
    'from here …'
    """
    if len(text) <= limit:
        return text
    start = text[: max(0, limit - len(mark))]
    if at_word and " " in start:
        start = start.rpartition(" ")[0]
    return start.rstrip() + mark


def slug(text: str, separator: str = "-", *, limit: int = 0) -> str:
    """Return the words of `text` in lower case, joined by `separator`: a file stem or a key; "" without any word.

    It is cut to `limit` characters.

    >>> slug("Why teams switch: 5 reasons!")
    'why-teams-switch-5-reasons'
    """
    made = separator.join(terms(text))
    return made[:limit].strip(separator) if limit else made


STOPWORDS = frozenset(terms("""
    a about above after again against all am an and any are aren as at be because been before being
    below between both but by can cannot could couldn d did didn do does doesn doing don down during
    each few for from further had hadn has hasn have haven having he her here hers herself him himself
    his how i if in into is isn it its itself just ll m me might more most my myself no nor not now of
    off on once only or other our ours ourselves out over own re s same shall she should shouldn so some
    such t than that the their theirs them themselves then there these they this those through to too
    under until up us ve very was wasn we were weren what when where which while who whom why will with
    won would wouldn you your yours yourself yourselves
"""))  # fmt: skip


def query_terms(text: str) -> list[str]:
    """Return the distinct meaningful words of a query, in order; all words if none is meaningful."""
    words = list(dict.fromkeys(terms(text)))
    return [word for word in words if word not in STOPWORDS] or words
