"""A domain of one's own from a template: its sizes, its soundness, its shapes."""

import json
from pathlib import Path

import pytest

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.ontology.checks import defects
from mabos.knowledge.ontology.conformance import rdf_defects
from mabos.knowledge.ontology.scaffold import TEMPLATES, draft, furnish, scaffold
from mabos.knowledge.ontology.vocabulary import FILES, install, load

TERMS = {  # S0 section 24 and S3 section 8.2
    "saas": ["Subscription", "Subscription Plan", "Tier", "MRR", "ARR", "Churn", "Trial"],
    "ecommerce": ["Cart", "Online Order", "Fulfillment", "Return", "Inventory"],
    "consulting": ["Engagement", "Deliverable", "Milestone", "SOW", "Retainer"],
    "marketplace": ["Listing", "Seller", "Buyer", "Commission", "Dispute"],
    "retail": ["Store", "POS", "Store Inventory", "Supplier", "Shelf"],
    "agency": ["Campaign", "Creative", "Client", "Brief", "Approval"],
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_scaffold_has_the_printed_sizes_and_the_printed_terms(template: str, tmp_path: Path) -> None:
    made = scaffold(tmp_path, template, "north-star").ontology
    relations = [fact for fact in made.fact_types if fact.kind == "object_property"]
    assert 15 <= len(made.concepts) <= 30
    assert 20 <= len(relations) <= 40
    assert 5 <= len(made.rules) <= 10
    assert set(TERMS[template]) <= {concept.label for concept in made.concepts}
    assert len(load(tmp_path).ontologies["shapes-north-star"].shapes) >= 10


def test_every_template_of_a_business_has_a_scaffold() -> None:
    from mabos.society.templates import template_named, templates

    shipped = {Path(name).stem for name in FILES}
    assert {template_named(one).domain for one in templates()} <= set(TEMPLATES) | shipped


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_new_business_of_every_kind_has_the_words_of_its_domain(template: str, tmp_path: Path) -> None:
    from mabos.society.templates import template_named

    made = furnish(tmp_path, template)
    assert furnish(tmp_path, template) == []
    assert {path.name for path in made} >= set(FILES)
    vocabulary = load(tmp_path)
    domain = vocabulary.ontology(template_named(template).domain)
    assert {concept.label for concept in domain.concepts} >= set(TERMS[template])
    assert list(map(str, defects(vocabulary))) == []


def test_all_templates_side_by_side_are_sound(tmp_path: Path) -> None:
    install(tmp_path)
    for template in TEMPLATES:
        scaffold(tmp_path, template, f"my-{template}")
    vocabulary = load(tmp_path)
    assert list(map(str, defects(vocabulary))) == []
    assert list(map(str, rdf_defects(vocabulary))) == []
    assert {vocabulary.named("MRR", domain).id for domain in ("saas", "my-saas")} == {"saas:MRR", "my-saas:MRR"}  # type: ignore[union-attr]  # both exist


def test_terms_stand_under_the_new_name_and_rules_are_as_they_were() -> None:
    made, source = draft("saas", "acme", label="Acme's words", description="What Acme says."), draft("saas", "other")
    assert {concept.id.split(":")[0] for concept in made.ontology.concepts} == {"acme"}
    assert (made.ontology.label, made.ontology.abstract) == ("Acme's words", "What Acme says.")
    assert [rule.definition for rule in made.ontology.rules] == [rule.definition for rule in source.ontology.rules]
    assert "saas:" not in json.dumps(made.document)
    assert made.ontology.prefix == "acme"


def test_a_scaffold_may_be_repeated_but_never_overwrites(tmp_path: Path) -> None:
    scaffold(tmp_path, "saas", "acme")
    scaffold(tmp_path, "saas", "acme")
    path = tmp_path / "acme.jsonld"
    path.write_text(path.read_text("utf-8").replace("Customer Attrition Rate", "Leaver Share"), "utf-8")
    with pytest.raises(InvalidArgument, match="domain 'acme' exists"):
        scaffold(tmp_path, "saas", "acme")
    assert "Leaver Share" in path.read_text("utf-8")


@pytest.mark.parametrize("name", ["saas", "shapes-x", "../up", "Big", "owl"])
def test_a_name_that_cannot_be_a_domains_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument) as caught:
        scaffold(tmp_path, "saas", name)
    assert caught.value.argument == "domain_name"
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_template_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownId, match="did you mean 'retail'"):
        draft("retial", "acme")
