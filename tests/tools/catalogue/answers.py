"""What each reading tool answers: planted with one thing it says that, planted with another it says the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Call = tuple[str | None, str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """`tool`, called with `arguments` where `plant(x)` was done and `files(x)` lie, says `x`, or what `said` has."""

    tool: str
    arguments: Mapping[str, Any]
    plant: Callable[[Any], tuple[Call, ...]]
    found: Callable[[Mapping[str, Any]], Any]
    given: tuple[Any, Any]
    said: tuple[Any, Any] | None = None
    agent: str | None = "cfo"
    files: Callable[[Any], Mapping[str, str]] = lambda _: {}


def _fact(predicate: str, value: Any, confidence: float = 0.9) -> Call:
    return ("cfo", "fact_assert", {"subject": "acme", "predicate": predicate, "object": value,
                                   "confidence": confidence, "source": "books"})  # fmt: skip


def _memory(content: str, **more: Any) -> Call:
    return ("cfo", "memory_store_item", {"content": content, "importance": 0.7, **more})


def _rule(rule_id: str, type_: str, **more: Any) -> Call:
    condition = {"subject": "?c", "predicate": "rent"}
    return ("cfo", "rule_create", {"name": rule_id, "description": "x", "type": type_, "rule_id": rule_id,
                                   "conditions": [condition], **more})  # fmt: skip


def _concludes(value: str) -> Mapping[str, Any]:
    return {"conclusion": {"subject": "?c", "predicate": "housed", "object": value}}


def _case(case_id: str, *, plan: str = "Moved out", value: int = 900) -> Call:
    return ("cfo", "cbr_store", {"situation": {"beliefs": {"rent": value}, "desires": {"save": 0.9}},
                                 "solution": {"plan_summary": plan}, "outcome": {"status": "success"},
                                 "case_id": case_id})  # fmt: skip


def _concept(word: str) -> Call:
    return ("knowledge", "ontology_propose_concept", {
        "domain": "saas", "node_type": "class", "node_id": f"saas:{word}", "label": word, "rationale": "x",
        "parent_class": "mabos:BusinessEntity", "sbvr_definition": f"What is meant by {word}"})  # fmt: skip


def _prices(price: int) -> tuple[Call, ...]:
    held = {"price_mid": price, "churn_rate": "5%"}
    told = [{"subject": subject, "value": str(value)} for subject, value in held.items()]
    told.append({"subject": "price_review", "predicate": "status", "value": "overdue"})
    return tuple(
        ("strategy", "belief_update", {"description": f"{one}", "certainty": 0.95, "source": "books", **one})
        for one in told
    )


def _amount(task: Mapping[str, Any]) -> Any:
    """Return the price that a tree of tasks sets."""
    below = (_amount(one) for one in task.get("subtasks", ()))
    return task.get("input", {}).get("amount_usd") or next(filter(None, below), None)


def _score(templates: Sequence[Mapping[str, Any]], name: str) -> float:
    return round(next(float(one["score"]) for one in templates if one["name"] == name), 2)


ANSWERS = (
    Answer("belief_get", {"subject": "rent"}, lambda x: (
        ("cfo", "belief_update", {"description": x, "certainty": 0.8, "source": "lease", "subject": "rent"}),),
        lambda r: r["beliefs"][0]["description"], ("Rent is 900", "Rent is 1,200")),
    Answer("htn_decompose", {"goal_description": "Raise prices"}, _prices, lambda r: _amount(r["task"]), (100, 200),
           (115, 230), agent="strategy"),
    Answer("plan_library_search", {"goal_pattern": "raise prices"}, lambda x: (
        (None, "business_create", {"business_id": "globex", "name": "Globex", "template": x}),),
        lambda r: _score(r["templates"], "saas_price_review"), ("saas", "retail"), (1.0, 0.5),
        agent="globex-strategy"),
    Answer("memory_recall", {"query": "rent of the office", "limit": 1}, lambda x: (
        _memory(f"The office rent is {x}"),),
           lambda r: r["items"][0]["content"].rpartition(" ")[2], ("900", "1200")),
    Answer("memory_status", {}, lambda x: tuple(_memory(f"Note {n}") for n in range(x)), lambda r: r["short_term"],
           (2, 5), (3, 6)),
    Answer("memory_hierarchy_search", {"query": "lease", "level": "daily"}, lambda x: (
        _memory(f"The lease ends in {x}"),),
           lambda r: r["results"][0]["excerpt"].partition("ends in ")[2].split()[0], ("May", "June")),
    Answer("fact_query", {"predicate": "rent"}, lambda x: (_fact("rent", x),), lambda r: r["facts"][0]["object"],
           ("900", "1200")),
    Answer("fact_explain", {"fact_id": "{fact_id}"}, lambda x: (_fact("churn", "5", x),),
           lambda r: r["fact"]["confidence"],
           (0.5, 0.7)),
    Answer("rule_list", {"type": "constraint"}, lambda x: (_rule(x, "constraint", violation_message="x"),),
           lambda r: [one["id"] for one in r["rules"] if one["id"].startswith("R-")],  # the others: of the ontologies
           ("R-7", "R-8"), (["R-7"], ["R-8"])),
    Answer("constraint_check", {}, lambda x: (
        _rule("R-7", "constraint", violation_message="Pays rent"), _fact("rent" if x else "other", "900")),
        lambda r: r["valid"], (True, False), (False, True)),
    Answer("infer_backward", {"goal_predicate": "housed", "goal_subject": "acme"}, lambda x: (
        _rule("R-7", "inference", **_concludes("yes")), _fact("rent" if x else "other", "900")),
        lambda r: r["proven"], (True, False)),
    Answer("infer_abductive", {"observation": {"subject": "acme", "predicate": "housed", "object": "yes"}}, lambda x: (
        _rule(x, "inference", **_concludes("yes")),), lambda r: r["hypotheses"][0]["rule_id"], ("R-7", "R-8")),
    Answer("knowledge_explain", {"question": "What is the rent of acme?"}, lambda x: (_fact("rent", x),),
           lambda r: r["facts"][0]["object"], ("900", "1200")),
    Answer("cbr_retrieve", {"beliefs": {"rent": 900}, "desires": {"save": 0.9}, "max_results": 1},
           lambda x: (_case("CASE-7", plan=x),), lambda r: r["cases"][0]["solution"]["plan_summary"],
           ("Moved out", "Bargained")),
    Answer("ontology_query", {"domain": "studio", "query": "Retainer"}, lambda x: (
        ("knowledge", "ontology_scaffold_domain", {"template": x, "domain_name": "studio"}),),
        lambda r: "Retainer Agreement" in [one["label"] for one in r["results"]], ("agency", "retail"), (True, False)),
    Answer("knowledge_infer", {"mode": "forward"}, lambda x: (
        _rule("R-7", "inference", **_concludes(x)), _fact("rent", "900")),
        lambda r: [one["object"] for one in r["derived"] if one["predicate"] == "housed"], ("yes", "so so"),
        (["yes"], ["so so"])),
    Answer("rule_evaluate", {"rule_id": "R-7"}, lambda x: (
        _rule("R-7", "inference", **_concludes("yes")), _fact("rent" if x else "other", "900")),
        lambda r: r["count"], (1, 0)),
    Answer("ontology_list_proposals", {"domain": "saas"}, lambda x: (_concept(x),),
           lambda r: r["proposals"][0]["node_id"], ("GraceWeek", "PauseWeek"), ("saas:GraceWeek", "saas:PauseWeek")),
    Answer("decision_review", {}, lambda x: (
        ("cfo", "decision_request", {"subject": x, "description": "x", "options": ["a", "b"], "urgency": "urgent"}),),
        lambda r: r["decisions"][0]["subject"], ("Move out?", "Stay?")),
    Answer("governance_check", {"action": "Pay the rent", "category": "rent", "estimated_cost": 900}, lambda x: (
        (None, "stakeholder_profile", {"approval_threshold_usd": x}),), lambda r: r["requires_approval"],
        (800, 2_000_000), (True, False)),
    Answer("contractor_list", {"skill": "design"}, lambda x: (
        ("hr", "contractor_add", {"name": x, "skills": ["design"], "hourly_rate_usd": 60}),),
        lambda r: [one["name"] for one in r["contractors"]], ("Bo", "Cy"), (["Bo"], ["Cy"])),
    Answer("work_package_list", {"status": "open"}, lambda x: (
        ("cmo", "work_package_create", {"title": x, "description": "x", "required_skills": ["law"], "budget_usd": 9}),),
        lambda r: r["packages"][-1]["title"], ("Translate", "Proofread")),
    Answer("workflow_inspect", {"workflow_id": "W-1"}, lambda x: (
        ("cfo", "bpmn_add_node", {"workflow_id": "W-1", "type": "userTask", "name": x, "node_id": "N-9"}),),
        lambda r: next(one["name"] for one in r["nodes"] if one["node_id"] == "N-9"), ("Write", "Phone")),
    Answer("workflow_validate", {"workflow_id": "W-1"}, lambda x: (
        ("cfo", "bpmn_add_node", {"workflow_id": "W-1", "type": "userTask", "name": "Alone"}),) if x else (),
        lambda r: r["valid"], (True, False), (False, True)),
    Answer("graph_status", {}, lambda x: (
        *(_fact("rent", str(n)) for n in range(x)), ("cfo", "graph_sync_agent_data", {})),
        lambda r: r["embedded"]["kinds"]["spo_fact"], (1, 4), (2, 5)),
    Answer("graph_query", {"query": "goal_tree"}, lambda x: (
        ("cfo", "goal_create", {"level": "operational", "description": x, "goal_id": "G-5", "parent_goal_id": "G-1"}),),
        lambda r: r["rows"][1]["goal.name"], ("Count the stock", "Close the books")),
    Answer("business_list", {}, lambda x: (
        (None, "business_create", {"business_id": x, "name": x, "template": "retail"}),),
        lambda r: [one["business_id"] for one in r["businesses"]], ("globex", "initech"),
        (["acme", "globex"], ["acme", "initech"]), agent=None),
    Answer("business_status", {"business_id": "acme"}, lambda x: (
        ("cfo", "metrics_record", {"name": "cash", "value": x}),), lambda r: r["metrics"]["cash"]["value"],
        (9_000, 12_000)),
    Answer("setup_health_check", {}, lambda x: (
        (None, "business_create", {"business_id": x, "name": x, "template": "retail"}),),
        lambda r: r["checks"][0]["detail"], ("globex", "initech"), ("acme, globex", "acme, initech"), agent=None),
    Answer("lead_scoring", {"contact": "bo@example.com"}, lambda x: (
        ("cmo", "crm_create_contact", {"email": "bo@example.com", "name": "Bo", "segment": x}),),
        lambda r: r["leads"][0]["score"] > 0, ("ent", ""), (True, False), agent="cmo"),
    Answer("seo_audit", {}, lambda _: (), lambda r: r["findings"][0]["check"], ("<title>Our prices</title>", ""),
           ("description_missing", "title_missing"), agent="cmo",
           files=lambda x: {"businesses/acme/site/index.html": f"<html><head>{x}</head><h1>A</h1></html>"}),
    Answer("metrics_dashboard", {}, lambda x: (("cfo", "metrics_record", {"name": "mrr", "value": x}),),
           lambda r: r["derived"]["arr"], (1_000, 2_000), (12_000, 24_000)),
)  # fmt: skip
