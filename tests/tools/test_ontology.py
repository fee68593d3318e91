"""The ontology tools, called as a person and as an agent call them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.knowledge.ontology.checks import defects
from mabos.knowledge.ontology.conformance import check_ontologies
from mabos.knowledge.ontology.proposals import KIND
from mabos.knowledge.ontology.vocabulary import load
from mabos.tools.gate.call import call
from mabos.tools.runtime.opening import open_services
from tests.interfaces.command_line import answer, mabos
from tests.tools.workspaces import opened
from tests.world import SMALL, World, write_company

GIFT_CARD: dict[str, Any] = {
    "domain": "ecommerce",
    "node_type": "class",
    "node_id": "ecommerce:GiftCard",
    "label": "Gift Card",
    "parent_class": "mabos:Document",
    "sbvr_definition": "A document that its bearer can use instead of money until its value is spent",
    "sbvr_synonyms": ["Gift Voucher"],
    "rationale": "Shoppers ask for it",
}
PAYS_WITH: dict[str, Any] = {
    "domain": "ecommerce", "node_type": "object_property", "node_id": "ecommerce:redeemsCoupon", "label": "redeems",
    "domain_class": "Shopper", "range": "ecommerce:Coupon", "rationale": "Who uses which code",
}  # fmt: skip


class Glossary(World):
    """A small company with a knowledge agent, whose words are proposed, validated and merged."""

    @property
    def folder(self) -> Path:
        """The company's own ontologies."""
        return self.root / "ontologies"

    def refusal(self, tool: str, *, by: str = "", **arguments: Any) -> tuple[str, str | None, str]:
        """Return code, argument and message of a call that must be refused."""
        outcome = self.agent(by).ask(tool, **arguments) if by else self.ask(tool, **arguments)
        assert not outcome.ok, outcome.result
        return outcome.code, outcome.argument, outcome.message

    def proposed(self, **changes: Any) -> str:
        """Return the proposal of a gift card."""
        return str(self.do("ontology_propose_concept", **(GIFT_CARD | changes))["proposal_id"])

    def verdict(self, **changes: Any) -> dict[str, Any]:
        """Return what validating a proposal says."""
        return self.do("ontology_validate_proposal", proposal_id=self.proposed(**changes))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Glossary]:
    write_company(tmp_path, agents=(*SMALL, "knowledge"))
    with Glossary.small(tmp_path) as office:
        yield office


def test_a_word_is_answered_with_its_meaning_and_its_place(office: Glossary) -> None:
    found = office.do("ontology_query", domain="saas", query="monthly recurring revenue")
    best = found["results"][0]
    assert (best["id"], best["kind"], best["parents"]) == ("saas:MRR", "class", ["mabos:Revenue"])
    assert best["ancestors"][-1] == "mabos:Entity"
    assert best["definition"].startswith("Revenue that paying users bring in every month")
    assert found["text"].splitlines()[0] == f"MRR (saas:MRR) [Revenue]: {best['definition']}"


def test_relations_and_rules_are_answered_too(office: Glossary) -> None:
    relation = office.do("ontology_query", domain="business-core", query="Customer buys Product")["results"][0]
    assert (relation["fact_type"], relation["inverse"]) == ("Customer buys Product", "Product is bought by Customer")
    assert relation["roles"] == ["purchaser", "purchased item"]
    rule = office.do("ontology_query", domain="all", query="four eyes on payments")["results"][0]
    assert rule["kind"] == "rule"
    assert rule["rule"]["type"] == "constraint"


def test_an_unknown_domain_is_never_answered_with_success(office: Glossary) -> None:
    for tool, more in (
        ("ontology_query", {"query": "x"}),
        ("ontology_propose_concept", GIFT_CARD),
        ("ontology_list_proposals", {}),
    ):
        code, argument, message = office.refusal(tool, **(more | {"domain": "ecomerce"}))
        assert (code, argument) == ("unknown_id", "domain")
        assert "did you mean 'ecommerce'" in message


def test_a_concept_is_proposed_validated_merged_and_told(office: Glossary) -> None:
    proposal_id = office.proposed()
    (listed,) = office.do("ontology_list_proposals")["proposals"]
    assert (listed["proposal_id"], listed["status"]) == (proposal_id, "pending")
    checked = office.do("ontology_validate_proposal", proposal_id=proposal_id)
    assert (checked["valid"], checked["errors"], checked["warnings"]) == (True, [], [])
    merged = office.agent("knowledge").do("ontology_merge_approved", proposal_id=proposal_id)
    assert (merged["status"], merged["reviewer"], merged["notified"]) == ("approved", "knowledge", ["knowledge"])
    graph = json.loads((office.folder / "ecommerce.jsonld").read_text("utf-8"))["@graph"]
    assert graph[-1] == {
        "@id": "ecommerce:GiftCard",
        "@type": "owl:Class",
        "rdfs:label": "Gift Card",
        "rdfs:subClassOf": {"@id": "mabos:Document"},
        "mabos:sbvr_definition": GIFT_CARD["sbvr_definition"],
        "mabos:sbvr_synonyms": ["Gift Voucher"],
        "mabos:approved_by": "knowledge",
    }
    assert office.do("ontology_query", domain="ecommerce", query="gift voucher")["results"][0]["label"] == "Gift Card"
    (told,) = office.services.inbox("knowledge").unread()
    assert (told.performative, told.metadata["node_id"]) == ("INFORM", "ecommerce:GiftCard")
    assert check_ontologies(office.folder) == []
    assert office.do("ontology_list_proposals")["count"] == 0


def test_merging_keeps_everything_else_where_it_was(office: Glossary) -> None:
    proposal_id = office.proposed()
    office.do("ontology_validate_proposal", proposal_id=proposal_id)
    office.do("ontology_merge_approved", proposal_id=proposal_id)
    shipped = Path(__file__).parents[2] / "configs" / "ontologies" / "ecommerce.jsonld"
    before, after = shipped.read_text("utf-8"), (office.folder / "ecommerce.jsonld").read_text("utf-8")
    assert after.startswith(before.removesuffix("\n  ]\n}\n"))


def test_a_relation_is_proposed_by_the_labels_of_its_ends(office: Glossary) -> None:
    proposal_id = office.do("ontology_propose_concept", **PAYS_WITH)["proposal_id"]
    assert office.do("ontology_validate_proposal", proposal_id=proposal_id)["valid"]
    node = office.do("ontology_merge_approved", proposal_id=proposal_id)["node"]
    assert node["rdfs:domain"] == {"@id": "ecommerce:Shopper"}
    assert node["mabos:sbvr_fact_type"] == "Shopper redeems Coupon"
    assert defects(load(office.folder)) == []


def test_an_attribute_is_proposed_with_a_type_of_value(office: Glossary) -> None:
    attribute = PAYS_WITH | {"node_type": "datatype_property", "node_id": "giftMessage", "label": "gift message"}
    wrong = office.do("ontology_propose_concept", **(attribute | {"range": "xsd:money"}))
    checked = office.do("ontology_validate_proposal", proposal_id=wrong["proposal_id"])
    assert (checked["valid"], checked["status"]) == (False, "rejected")
    assert "xsd:decimal" in checked["errors"][0]
    right = office.do("ontology_propose_concept", **(attribute | {"range": "string"}))
    office.do("ontology_validate_proposal", proposal_id=right["proposal_id"])
    node = office.do("ontology_merge_approved", proposal_id=right["proposal_id"])["node"]
    assert (node["@id"], node["rdfs:range"]) == ("ecommerce:giftMessage", {"@id": "xsd:string"})
    assert check_ontologies(office.folder) == []


@pytest.mark.parametrize(
    ("changes", "check", "words"),
    [
        ({"label": "Promo Codes"}, "duplicates", "a synonym of ecommerce:Coupon"),
        ({"label": "Shopping Baskets"}, "duplicates", "a synonym of ecommerce:Cart"),
        ({"sbvr_synonyms": ["Invoice"]}, "duplicates", "the label of mabos:Invoice"),
        ({"label": "Product Reviews"}, "duplicates", "the label of ecommerce:ProductReview"),
        ({"label": "Product Revue"}, "duplicates", "2 letters from 'Product Review'"),
        ({"node_id": "ecommerce:Cart"}, "duplicates", "ecommerce:Cart exists"),
        ({"node_id": "ecommerce:giftCard"}, "naming", "is not PascalCase"),
        ({"node_id": "ecommerce:Gift_Card"}, "naming", "is not PascalCase"),
        ({"node_id": "shop:GiftCard"}, "naming", "terms of ecommerce begin with 'ecommerce:'"),
        ({"parent_class": "mabos:Nowhere"}, "parent", "is not a class of any ontology"),
        ({"parent_class": ""}, "parent", "needs a parent_class"),
        ({"sbvr_definition": ""}, "definition", "needs an sbvr_definition in words"),
        ({"sbvr_definition": "asdf"}, "definition", "needs an sbvr_definition in words"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_proposal_is_named_and_keeps_it_out(
    changes: dict[str, Any], check: str, words: str, office: Glossary
) -> None:
    result = office.verdict(**changes)
    assert (result["valid"], result["status"], result["checks"][check]) == (False, "rejected", False)
    assert any(words in error for error in result["errors"])
    code, argument, message = office.refusal("ontology_merge_approved", proposal_id=result["proposal_id"])
    assert (code, argument) == ("refused", "proposal_id")
    assert "was rejected" in message


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": "ARV", "node_id": "ecommerce:ARV", "sbvr_synonyms": []}, "letters from 'AOV'"),
        ({"sbvr_definition": "Lets its bearer pay without money until the value is spent"}, "does not begin with"),
        ({"sbvr_definition": "A document that is a gift card which its bearer can pay with"}, "the term itself"),
        ({"parent_class": "saas:Trial"}, "will import from now on"),
    ],
)
def test_what_a_reviewer_should_weigh_is_a_warning(changes: dict[str, Any], words: str, office: Glossary) -> None:
    result = office.verdict(**changes)
    assert (result["valid"], result["status"]) == (True, "pending")
    assert any(words in warning for warning in result["warnings"])
    office.do("ontology_merge_approved", proposal_id=result["proposal_id"])


def test_what_has_not_been_validated_is_refused(office: Glossary) -> None:
    code, argument, message = office.refusal("ontology_merge_approved", proposal_id=office.proposed())
    assert (code, argument) == ("refused", "proposal_id")
    assert "has not been validated" in message
    assert not (office.folder / "ecommerce.jsonld").exists()


def test_what_has_become_a_duplicate_since_is_refused(office: Glossary) -> None:
    first, second = office.verdict(), office.verdict(node_id="ecommerce:GiftCard2", label="Gift Cards")
    office.do("ontology_merge_approved", proposal_id=first["proposal_id"])
    code, _, message = office.refusal("ontology_merge_approved", proposal_id=second["proposal_id"])
    assert code == "refused"
    assert "no longer valid" in message


def test_only_the_knowledge_agent_or_a_person_approves(office: Glossary) -> None:
    proposal_id = office.verdict()["proposal_id"]
    assert office.refusal("ontology_merge_approved", by="cfo", proposal_id=proposal_id)[:2] == ("refused", "reviewer")
    for named in ("cfo", "knowledge"):
        answer = office.refusal("ontology_merge_approved", by="cto", proposal_id=proposal_id, reviewer=named)
        assert answer[:2] == ("refused", "reviewer")
    assert office.refusal("ontology_merge_approved", proposal_id=proposal_id, reviewer="cfo")[1] == "reviewer"
    merged = office.do(
        "ontology_merge_approved", proposal_id=proposal_id, reviewer="Kim", stakeholder_notes="Asked for"
    )
    assert (merged["reviewer"], merged["stakeholder_notes"]) == ("Kim", "Asked for")


def test_merging_twice_is_merging_once(office: Glossary) -> None:
    proposal_id = office.verdict()["proposal_id"]
    once = office.agent("knowledge").do("ontology_merge_approved", proposal_id=proposal_id)
    twice = office.do("ontology_merge_approved", proposal_id=proposal_id, reviewer="Kim")
    assert twice["reviewer"] == once["reviewer"] == "knowledge"
    graph = json.loads((office.folder / "ecommerce.jsonld").read_text("utf-8"))["@graph"]
    assert [node["@id"] for node in graph].count("ecommerce:GiftCard") == 1
    assert len(office.services.inbox("knowledge").messages()) == 1


def test_a_merge_cut_short_after_its_file_was_written_is_finished(office: Glossary) -> None:
    proposal_id = office.verdict()["proposal_id"]
    office.agent("knowledge").do("ontology_merge_approved", proposal_id=proposal_id)
    path = office.folder / "proposals" / "ecommerce-proposals.json"
    document = json.loads(path.read_text("utf-8"))
    record = document["proposals"][0]
    record["status"] = "pending"
    del record["reviewer"], record["merged_at"]
    path.unlink()
    for journal in path.parent.glob("*.jsonl"):
        journal.unlink()
    path.write_text(json.dumps(document), "utf-8")
    again = office.agent("knowledge").do("ontology_merge_approved", proposal_id=proposal_id)
    assert again["status"] == "approved"
    assert defects(load(office.folder)) == []


def test_an_agent_proposes_in_its_own_name(office: Glossary) -> None:
    made = office.agent("cfo").do("ontology_propose_concept", **GIFT_CARD)
    assert made["proposed_by"] == "cfo"
    assert office.refusal("ontology_propose_concept", by="cfo", **GIFT_CARD, proposed_by="ceo")[1] == "proposed_by"
    assert office.do("ontology_propose_concept", **GIFT_CARD)["proposal_id"] == made["proposal_id"]


def test_a_merged_term_is_found_by_search(office: Glossary) -> None:
    proposal_id = office.verdict()["proposal_id"]
    assert office.services.index.search("voucher", kinds=[KIND]) == []
    office.do("ontology_merge_approved", proposal_id=proposal_id)
    (hit,) = office.services.index.search("voucher", kinds=[KIND])
    assert hit.id == "ecommerce:GiftCard"


def test_merged_terms_are_in_an_index_that_was_made_again(office: Glossary) -> None:
    proposal_id = office.verdict()["proposal_id"]
    office.do("ontology_merge_approved", proposal_id=proposal_id)
    root = office.services.layout.root
    office.services.close()
    for path in (root / ".mabos").glob("index.sqlite*"):
        path.unlink()
    services = open_services(root)
    assert [hit.id for hit in services.index.search("voucher", kinds=[KIND])] == ["ecommerce:GiftCard"]
    services.close()


def test_the_file_of_proposals_has_the_printed_form(office: Glossary) -> None:
    proposal_id = office.verdict()["proposal_id"]
    document = json.loads((office.folder / "proposals" / "ecommerce-proposals.json").read_text("utf-8"))
    (record,) = document["proposals"]
    assert record["id"] == proposal_id
    assert {
        "id", "domain", "node_type", "node_id", "label", "parent_class", "sbvr_definition", "sbvr_synonyms",
        "rationale", "proposed_by", "status", "validation_result", "proposed_at",
    } <= set(record)  # fmt: skip


def test_an_unknown_proposal_is_named(office: Glossary) -> None:
    for tool in ("ontology_validate_proposal", "ontology_merge_approved"):
        assert office.refusal(tool, proposal_id="OP-1")[:2] == ("unknown_id", "proposal_id")


def test_a_domain_is_scaffolded_and_takes_proposals(office: Glossary) -> None:
    made = office.do("ontology_scaffold_domain", template="agency", domain_name="north-star", label="North Star")
    assert 15 <= made["classes"] <= 30
    assert 20 <= made["object_properties"] <= 40
    assert 5 <= made["rules"] <= 10
    assert (office.folder / "shapes-north-star.jsonld").is_file()
    assert {"Campaign", "Creative", "Client", "Brief", "Approval"} <= set(made["concepts"])
    result = office.verdict(domain="north-star", node_id="north-star:GiftCard")
    assert result["valid"]
    office.do("ontology_merge_approved", proposal_id=result["proposal_id"])
    assert check_ontologies(office.folder) == []
    assert office.refusal("ontology_scaffold_domain", template="saas", domain_name="north-star")[1] == "domain_name"


def test_verify_checks_the_ontologies_of_a_workspace_and_names_what_is_wrong(tmp_path: Path) -> None:
    place = tmp_path / "company"
    mabos("init", str(place))
    assert len(list((place / "ontologies").glob("*.jsonld"))) == 10
    assert answer("verify", "ontologies", workspace=place) == {"valid": True, "problems": []}
    path = place / "ontologies" / "saas.jsonld"
    path.write_text(path.read_text("utf-8").replace('"rdfs:label": "Outage"', '"rdfs:label": "Invoices"'), "utf-8")
    found = answer("verify", "ontologies", workspace=place, code=1)
    assert found["valid"] is False
    assert found["problems"][0]["path"] == "ontologies/saas.jsonld"
    assert found["problems"][0]["line"] > 0
    assert "'Invoices' of saas:Outage is too like 'Invoice'" in json.dumps(found["problems"])


def test_a_business_founded_in_an_old_workspace_gets_the_ontologies(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "businesses").mkdir()
    services = opened(tmp_path, modules=("business.businesses",))
    try:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"}).as_json()
        assert made["ok"], made
    finally:
        services.close()
    assert len(list((tmp_path / "ontologies").glob("*.jsonld"))) == 10
