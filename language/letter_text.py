"""Find the end of a letter's text, and the sentences after it that address its writer."""

import re

from mabos.language.wordlists import order_form

ASIDE = order_form("letter_text.aside")
"""A sentence behind the text of a letter that speaks to the writer about the letter: it is no part of it."""
SEES_FIRST = order_form("letter_text.sees_first")
"""A sentence by which the owner wants to see a thing before it leaves: "It stays here until I have read it"."""
TO_THE_WRITER = order_form("letter_text.to_the_writer")
"""A sentence next to the facts of a letter that says to whom or when it goes: it is no part of its text."""
_FAREWELL = order_form("letter_text.farewell")


def letter_end(words: str) -> int:
    """Return where the text of a letter ends, before sentences addressed to its writer.

    >>> "We are shut on Monday. Show me first, please."[: letter_end("We are shut on Monday. Show me first, please.")]
    'We are shut on Monday.'
    """
    sentences = list(re.finditer(r"\S.*?(?:[.!?]+['\"”’]?(?=\s|$)|$)", words, re.DOTALL))
    end = len(words.rstrip())
    for one in reversed(sentences[1:]):
        if not (ASIDE.match(one[0]) or SEES_FIRST.match(one[0]) or _FAREWELL.fullmatch(one[0].strip())):
            break
        end = one.start()
    return len(words[:end].rstrip())
