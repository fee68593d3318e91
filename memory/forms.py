"""Words as the catalogue knows them: cut to their stems, and spelt so that it does not fold them in a way of its own.

>>> line("The Rome Protocols")
' the  rome  protocol '
"""

from functools import lru_cache

from mabos.memory.catalogue import pad_stem
from mabos.memory.findable import Findable
from mabos.memory.stem import stem
from mabos.workspace.text import terms


def list_forms(one: Findable) -> list[str]:
    """Return the words under which a text is found: its own and those of its tags."""
    return list(map(form, terms(" ".join((one.text, *one.tags)))))


def line(text: str) -> str:
    """Return the words of a text in sequence, in the form of `Entry.stems`."""
    return "".join(pad_stem(form(word)) for word in terms(text))


@lru_cache(maxsize=200_000)
def form(word: str) -> str:
    """Return a word as the catalogue knows it: its stem."""
    return token(stem(word))


def token(word: str) -> str:
    """Return a stem as the catalogue stores it, which would fold non-ASCII characters in its own way."""
    return word if word.isascii() else "u" + word.encode("utf-8", "surrogatepass").hex()
