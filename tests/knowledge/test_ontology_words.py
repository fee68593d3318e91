"""Words: what counts as the same term, what is too like, and what a question finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.knowledge.ontology.model import Concept
from mabos.knowledge.ontology.vocabulary import Vocabulary
from mabos.knowledge.ontology.wording import key, position
from mabos.knowledge.similarity import distance, grade_of, letters, term_likenesses
from tests.knowledge.vocabularies import shipped

SHORT = st.text(alphabet="abcs -", max_size=9)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return shipped()


def concept(label: str, *synonyms: str) -> Concept:
    return Concept(f"mabos:{label.replace(' ', '')}", label, "business-core", synonyms=synonyms)


def reference_distance(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    same = one[0] == other[0]
    return min(
        reference_distance(one[1:], other) + 1,
        reference_distance(one, other[1:]) + 1,
        reference_distance(one[1:], other[1:]) + (not same),
    )


@given(st.text(alphabet="abc", max_size=5), st.text(alphabet="abc", max_size=5), st.integers(0, 6))
def test_the_distance_is_levenshteins_up_to_its_limit(one: str, other: str, limit: int) -> None:
    assert distance(one, other, limit) == min(reference_distance(one, other), limit + 1)
    assert distance(one, other, limit) == distance(other, one, limit)


@given(SHORT, SHORT)
def test_letters_never_rule_out_what_is_near(one: str, other: str) -> None:
    if distance(one, other, 2) < 3:
        assert (letters(one) ^ letters(other)).bit_count() <= 4


@pytest.mark.parametrize(
    ("one", "other"),
    [("Order Line", "OrderLines"), ("order-line", "Order Line"), ("Category", "categories"), ("MRR", "mrr")],
)
def test_case_hyphens_camel_case_and_plural_do_not_make_another_word(one: str, other: str) -> None:
    assert key(one) == key(other)


def test_business_does_not_lose_its_s() -> None:
    assert key("Business") == "business"
    assert key("Analysis") == "analysis"
    assert position("business activity", "A business activity in which") == 3


@given(SHORT)
def test_a_key_is_its_own_key(text: str) -> None:
    assert key(key(text)) == key(text) or "ss" in text or "s s" in text


@pytest.mark.parametrize(
    ("one", "other"), [("MRR", "ARR"), ("Belief", "Brief"), ("Cart", "Cost"), ("POS", "SOW"), ("POS", "Cost")]
)
def test_the_documents_own_terms_are_worth_a_warning_only(one: str, other: str) -> None:
    (like,) = term_likenesses([one], [concept(other)])
    assert like.distance < 3
    assert like.grade == "warn"
    assert "make sure it is meant" in str(like)


@pytest.mark.parametrize(
    "label", ["Customer Segmant", "Markets Segment", "customer segment", "MarketSegment", "Customer Segments"]
)
def test_a_long_term_a_letter_or_two_away_and_any_equal_name_is_refused(label: str) -> None:
    found = term_likenesses([label], [concept("Market Segment", "Customer Segment")])
    assert found[0].grade == "reject"


def test_the_grade_needs_length_and_likeness() -> None:
    assert grade_of("invoices", "invoicex", 1) == "reject"
    assert grade_of("invoice", "invoicx", 1) == "warn"
    assert grade_of("contracted", "contrasted", 2) == "warn"


def test_concepts_are_found_by_label_synonym_id_and_class_name(vocabulary: Vocabulary) -> None:
    for name in ("MRR", "monthly recurring revenue", "saas:MRR"):
        found = vocabulary.named(name)
        assert found is not None
        assert found.id == "saas:MRR"
    assert vocabulary.named("OrderLine") == vocabulary.concepts["ecommerce:OrderLine"]
    assert vocabulary.named("saas:Nothing") is None


def test_a_question_finds_the_domains_own_words_before_imported_ones(vocabulary: Vocabulary) -> None:
    assert vocabulary.search("retail", "stock in the store")[0].term.id == "retail:StoreInventory"
    assert vocabulary.search("saas", "what is a customer")[0].term.id == "mabos:Customer"
    assert [one.term.id for one in vocabulary.search("saas", "Cart")] == []
    assert vocabulary.search("saas", "Subscriber holds Subscription")[0].term.id == "saas:holdsSubscription"


def test_ancestors_and_inherited_relations_are_known(vocabulary: Vocabulary) -> None:
    assert vocabulary.ancestors("saas:Subscriber") == (
        "mabos:Customer", "mabos:Party", "mabos:BusinessEntity", "mabos:Entity",
    )  # fmt: skip
    assert vocabulary.is_a("saas:Subscriber", "mabos:Party")
    said = [fact.verbalisation for fact in vocabulary.fact_types_of("saas:Subscriber")]
    assert said.index("Subscriber holds Subscription") < said.index("Customer buys Product")
