"""Words in the catalogue's form: stemmed, and spelt so that SQLite does not fold them differently.

>>> line("The Rome Protocols")
' the  rome  protocol '
"""

from functools import lru_cache

from mabos.memory.catalogue import pad_stem
from mabos.memory.findable import Findable
from mabos.memory.stem import stem
from mabos.workspace.text import terms


def list_forms(one: Findable) -> list[str]:
    """Return the words by which a text is found: its own and those of its tags."""
    return list(map(form, terms(" ".join((one.text, *one.tags)))))


def line(text: str) -> str:
    """Return the words of a text in sequence, in the form of `WordsEntry.stems`."""
    return "".join(pad_stem(form(word)) for word in terms(text))


@lru_cache(maxsize=200_000)
def form(word: str) -> str:
    """Return a word in the catalogue's form: its stem."""
    return token(stem(word))


def token(word: str) -> str:
    """Return a stem as the catalogue stores it; unencoded non-ASCII characters would be folded differently."""
    return word if word.isascii() else "u" + word.encode("utf-8", "surrogatepass").hex()
