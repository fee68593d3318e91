"""Bracketed text as nested forms whose words have line numbers."""

import re
from collections.abc import Iterator
from typing import TypeAlias, Union

from mabos.configs.errors import InvalidArgument

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+|\n")


class Word(str):
    """A word in lower case, and its line."""

    __slots__ = ("line",)
    line: int

    def __new__(cls, text: str, line: int) -> "Word":
        """Return the word."""
        word = super().__new__(cls, text.casefold())
        word.line = line
        return word


class Form(list["Element"]):
    """The content of a pair of brackets, and the line of the first."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


Element: TypeAlias = Union[Word, Form]  # noqa: UP007 - a forward reference


class Source:
    """A text with its file name, for error messages."""

    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file

    def fault(self, line: int, words: str) -> InvalidArgument:
        """Return an error with the file and the line."""
        return InvalidArgument(f"{self._file}:{line}: {words}")

    def form(self) -> Form:
        """Return the one form of the text."""
        open_forms: list[Form] = []
        for word in self._words():
            if word == "(":
                form = Form(word.line)
                if open_forms:
                    open_forms[-1].append(form)
                open_forms.append(form)
            elif not open_forms:
                raise self.fault(word.line, f"{str(word)!r} is outside the brackets; expected one form (define ...)")
            elif word != ")":
                open_forms[-1].append(word)
            elif len(open_forms) > 1:
                open_forms.pop()
            else:
                return open_forms[0]
        line = open_forms[-1].line if open_forms else 1
        raise self.fault(line, "a bracket is opened here that is never closed")

    def _words(self) -> Iterator[Word]:
        line = 1
        for token in _TOKEN.finditer(self._text):
            if token[0] == "\n":
                line += 1
            elif not token[0].startswith(";"):
                yield Word(token[0], line)
