"""What a chat model writes of a piece, and what of it is not taken."""

import pytest

from mabos.backends.chat import ChatModel, ForbiddenModel, NoModel, Reply, ScriptedModel
from mabos.backends.metering import Metered
from mabos.configs.errors import Unavailable
from mabos.society.content import Article, outline
from mabos.society.drafting import draft_body

PIECE = Article("PIECE-1", "blog_post", "Why 30 teams switch", "content/why.md", topic="onboarding", tier="enterprise")
OUTLINE = outline(PIECE, business="Acme")
KNOWN = ("Business: Acme: invoices for small firms", "Product: Pro (1,200.00 USD a year)")
TEXT = "Teams lose hours to onboarding by hand."


def answer(*texts: str, heading: str = "The problem") -> Reply:
    return {"sections": [{"heading": heading, "text": text} for text in (texts or (TEXT, TEXT, TEXT))]}


def body(*replies: Reply) -> str:
    return draft_body(ScriptedModel(replies), PIECE, OUTLINE, KNOWN)


@pytest.mark.parametrize("model", [NoModel(), ForbiddenModel(), Metered(ForbiddenModel())])
def test_without_a_model_or_where_models_are_forbidden_nothing_is_drafted(model: ChatModel) -> None:
    assert draft_body(model, PIECE, OUTLINE, KNOWN) == ""


def test_a_piece_is_written_along_its_outline_from_what_is_known() -> None:
    model = ScriptedModel([answer("First part\nof it all.\n\nAnd a second one.", TEXT, TEXT)])
    written = draft_body(model, PIECE, OUTLINE, KNOWN)
    assert written.startswith("## The problem\n\nFirst part of it all.\n\nAnd a second one.\n\n## The problem")
    (call,) = model.calls
    assert call.tag == "content: blog_post"
    for told in ("Why 30 teams switch", "About: onboarding", "For: enterprise", *KNOWN, "## What helps"):
        assert told in call.messages[1].content


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON",
        {},
        answer(TEXT, TEXT),
        answer(TEXT, TEXT, "Too short."),
        answer(TEXT, TEXT, "It saves 40% of the time of every team."),
        answer(TEXT, TEXT, "For only $99 it is yours and everybody's."),
        answer(TEXT, TEXT, "More than 2,000 teams trust us with it."),
        answer(TEXT, TEXT, "Read on <script>alert(1)</script> and so on."),
        answer(heading="Loved by 500 firms"),
        answer(heading="###"),
    ],
)
def test_what_is_not_asked_for_or_invented_is_sent_back_once_and_then_left(reply: Reply) -> None:
    assert body(reply, reply) == ""
    assert body(reply, answer()).startswith("## The problem")


def test_a_figure_that_is_known_may_be_told_however_it_is_written() -> None:
    assert body(answer("Pro is $1200 a year, and all 30 teams know it.", TEXT, "It takes 3 steps, no more than 3."))


def test_what_would_begin_something_else_in_markdown_is_text() -> None:
    written = body(answer("# A heading of its own\n\n> and a quotation, to be sure", TEXT, TEXT, heading="# Loud"))
    assert written.startswith("## Loud\n\nA heading of its own\n\nand a quotation")


def test_a_model_that_is_down_is_no_failure() -> None:
    assert body(Unavailable("down")) == ""
