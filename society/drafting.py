"""Writing of a piece by a chat model, if there is one: sections under headings, without invented figures."""

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, create_model

from mabos.backends.chat import NOT_ASKED, ChatMessage, ChatModel
from mabos.backends.structured import complete_structured
from mabos.configs.prompts import prompt
from mabos.society.content import Article
from mabos.workspace.numbers import without_zeros
from mabos.workspace.text import one_line

_LONGEST = 6_000
"""Characters of what is known that are handed to a model."""
_FIGURE = re.compile(r"[$€£]\s?\d[\d.,]*|\d[\d.,]*\s?(?:%|percent\b)|\d[\d.,]*\d")
_MARKUP = re.compile(r"<[A-Za-z/!]")


def draft_body(model: ChatModel, article: Article, outline: str, known: Iterable[str]) -> str:
    """Return the body of a piece written by `model` along an outline, or "" without a usable answer.

    `known` holds the facts about the company, line by line. An answer with markup, or with a figure from neither there
    nor the piece's subject, is sent back once.
    """
    if model.name in NOT_ASKED:
        return ""
    brief = "\n".join(
        [
            f"Kind: {article.type.replace('_', ' ')}",
            f"Title: {article.title}",
            *([f"About: {article.topic}"] if article.topic else []),
            *([f"For: {article.tier}"] if article.tier else []),
            *known,
        ]
    )[:_LONGEST]
    asked = [ChatMessage("system", prompt("content")), ChatMessage("user", f"{brief}\n\nOutline:\n\n{outline}")]
    count = sum(line.startswith("## ") for line in outline.splitlines())
    answer = complete_structured(model, asked, _form(brief, count), max_tokens=1_500, tag=f"content: {article.type}")
    if answer is None:
        return ""
    sections: list[_PieceSection] = answer.sections  # type: ignore[attr-defined]  # made for each piece
    return "\n\n".join(f"## {_line(one.heading)}\n\n{_paragraphs(one.text)}" for one in sections)


class _PieceSection(BaseModel):
    """One part of a piece."""

    heading: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=20, max_length=1_200)


def _form(brief: str, count: int) -> type[BaseModel]:
    """Return the form of an answer: so many sections, and no figure that is not in the brief."""
    given = set(map(_figure, _FIGURE.findall(brief)))

    def honest(section: _PieceSection) -> _PieceSection:
        said = f"{section.heading} {section.text}"
        if not (_line(section.heading) and _paragraphs(section.text)):
            raise ValueError("heading and text must contain words")
        if found := _MARKUP.search(said):
            raise ValueError(f"{found[0]!r} starts markup; write plain text")
        if invented := [one for one in _FIGURE.findall(said) if _figure(one) not in given]:
            raise ValueError(f"{', '.join(invented[:4])} does not occur in the records; leave it out")
        return section

    section = Annotated[_PieceSection, AfterValidator(honest)]
    return create_model(
        "Piece", __doc__="The parts of one piece.", sections=(list[section], Field(min_length=count, max_length=count))
    )


def _figure(text: str) -> str:
    """Return a figure in comparable form: 1,200.00 and 1200 are one, with or without a unit."""
    return without_zeros(re.sub(r"[^\d.]", "", text).rstrip("."))


def _line(text: str) -> str:
    return one_line(text).lstrip("#>-* ")


def _paragraphs(text: str) -> str:
    """Return text as paragraphs that begin nothing else in Markdown."""
    return "\n\n".join(line for part in text.split("\n\n") if (line := _line(part)))
