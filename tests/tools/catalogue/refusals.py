"""What each tool says when it cannot: a call that must fail, the argument that is named, and words of the message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """`tool`, called with `arguments`, names `argument` and says `words`; nothing is written."""

    tool: str
    arguments: Mapping[str, Any]
    argument: str
    words: str
    agent: str | None = "cfo"


_NEED = {"base": 0.5, "importance": 0.5, "urgency": 0.5, "alignment": 0.5, "type": "achieve", "category": "terminal"}
_BID = {"approach": "x", "estimated_cost": 1, "estimated_duration": 1, "confidence": 0.5}
_CONCEPT = {"node_type": "class", "node_id": "x:Y", "label": "Y", "rationale": "x"}
_PACKAGE = {"title": "x", "description": "x", "required_skills": ["law"]}
_HANDED = {"from": "cmo", "to": "CONT-1", "package_id": "WP-1"}
_CAMPAIGN = {"name": "x", "segment": "smb", "weekly_budget_usd": 10, "weeks": 2}

REFUSALS = (
    Refusal("belief_get", {"category": "enviroment"}, "category", "did you mean 'environment'"),
    Refusal("belief_update", {"description": "x", "certainty": 1.5, "source": "y"}, "certainty", "from 0 to 1"),
    Refusal("goal_create", {"level": "tactical", "description": "x", "desire_id": "D-9"}, "desire_id", "'D-9'"),
    Refusal("goal_evaluate", {"goal_id": "G-9"}, "goal_id", "no goal 'G-9'"),
    Refusal("intention_commit", {"goal_id": "G-1", "plan_id": "P-9"}, "plan_id", "no plan 'P-9'"),
    Refusal("bdi_cycle", {"depth": "deeper"}, "depth", "one of quick, standard, deep"),
    Refusal("desire_create", {**_NEED, "name": " "}, "name", "a non-empty string"),
    Refusal("desire_evaluate", {"recalculate": "yes"}, "recalculate", "true or false"),
    Refusal("desire_drop", {"desire_id": "D-9"}, "desire_id", "no desire 'D-9'"),
    Refusal("intention_reconsider", {"intention_id": "I-1", "trigger": "boredom"}, "trigger", "belief_change"),
    Refusal("plan_generate", {"goal_id": "G-9"}, "goal_id", "no goal 'G-9'"),
    Refusal("plan_execute_step", {"plan_id": "P-1", "step_id": "s9"}, "step_id", "s9"),
    Refusal("htn_decompose", {}, "goal_description", "is missing"),
    Refusal("plan_library_search", {"goal_pattern": "x", "limit": 0}, "limit", "at least 1"),
    Refusal("plan_adapt", {"source_case_id": "CASE-9", "target_goal_id": "G-1"}, "source_case_id", "CASE-9"),
    Refusal("memory_store_item", {"content": "x", "importance": 0.5, "type": "rumour"}, "type", "observation"),
    Refusal("memory_recall", {"query": "x", "store": "shortterm"}, "store", "did you mean 'short_term'"),
    Refusal("memory_consolidate", {"min_importance": -1}, "min_importance", "from 0 to 1"),
    Refusal("memory_checkpoint", {"context": ""}, "context", "a non-empty string"),
    Refusal("memory_status", {"agent_id": "cf"}, "agent_id", "cfo", agent=None),
    Refusal("memory_build_hierarchy", {"scope": "year"}, "scope", "week, month, quarter, all"),
    Refusal("memory_hierarchy_search", {"query": "x", "level": "hourly"}, "level", "daily"),
    Refusal("fact_assert", {"subject": "a", "predicate": "b", "object": "c", "confidence": 0.5, "source": "x",
                            "valid_from": "soon"}, "valid_from", "soon"),
    Refusal("fact_import", {"path": "../../mabos.yaml"}, "path", "there is no file"),
    Refusal("fact_retract", {}, "fact_id", "subject"),
    Refusal("fact_query", {"valid_at": "someday"}, "valid_at", "someday"),
    Refusal("fact_explain", {"fact_id": "F-9"}, "fact_id", "no fact 'F-9'"),
    Refusal("rule_create", {"name": "x", "description": "x", "type": "inference", "conditions": []}, "conditions", ""),
    Refusal("rule_list", {"type": "policies"}, "type", "did you mean 'policy'"),
    Refusal("rule_toggle", {"rule_id": "R-9", "enabled": True}, "rule_id", "no rule 'R-9'"),
    Refusal("constraint_check", {"rule_id": "R-9"}, "rule_id", "no rule 'R-9'"),
    Refusal("policy_eval", {"rule_id": "R-9"}, "rule_id", "no rule 'R-9'"),
    Refusal("infer_forward", {"max_iterations": 0}, "max_iterations", "at least 1"),
    Refusal("infer_backward", {"goal_predicate": ""}, "goal_predicate", "a non-empty string"),
    Refusal("infer_abductive", {"observation": {"subject": "acme"}}, "observation", "predicate"),
    Refusal("knowledge_explain", {"question": " "}, "question", "a non-empty string"),
    Refusal("cbr_retrieve", {"beliefs": "churn", "desires": {}}, "beliefs", "a list"),
    Refusal("cbr_store", {"situation": {}, "solution": {}, "outcome": {"status": "mixed"}}, "outcome", "success"),
    Refusal("ontology_query", {"domain": "sass", "query": "x"}, "domain", "did you mean 'saas'"),
    Refusal("knowledge_infer", {"mode": "sideways"}, "mode", "forward, backward, abductive"),
    Refusal("rule_evaluate", {"rule_id": "R-9"}, "rule_id", "no rule 'R-9'"),
    Refusal("ontology_propose_concept", {**_CONCEPT, "domain": "nowhere"}, "domain", "nowhere"),
    Refusal("ontology_validate_proposal", {"proposal_id": "OP-9"}, "proposal_id", "OP-9"),
    Refusal("ontology_merge_approved", {"proposal_id": "{proposal_id}"}, "proposal_id", "validate", agent="knowledge"),
    Refusal("ontology_list_proposals", {"status": "open"}, "status", "pending"),
    Refusal("ontology_scaffold_domain", {"template": "bakery", "domain_name": "x"}, "template", "saas"),
    Refusal("reason", {"problem": "x", "method": "bayesain"}, "method", "did you mean 'bayesian'"),
    Refusal("agent_message", {"to": "cmoo", "performative": "INFORM", "content": "x"}, "to", "did you mean 'cmo'"),
    Refusal("decision_request", {"subject": "x", "description": "x", "options": []}, "options", "options"),
    Refusal("contract_net_initiate", {"task_description": "x", "candidates": ["cfoo"]}, "candidates", "cfoo"),
    Refusal("contract_net_propose", {**_BID, "task_id": "CFP-9"}, "task_id", "CFP-9"),
    Refusal("contract_net_award", {"task_id": "CFP-1"}, "task_id", "", agent="ceo"),
    Refusal("stakeholder_profile", {"decision_style": "hands-off"}, "decision_style", "hands-on", agent=None),
    Refusal("decision_review", {"business_id": "globex"}, "business_id", "globex"),
    Refusal("decision_resolve", {"decision_id": "DEC-9", "resolution": "approve"}, "decision_id", "DEC-9", agent=None),
    Refusal("governance_check", {"action": "x", "category": "y", "estimated_cost": -1}, "estimated_cost", "from 0"),
    Refusal("contractor_add", {"name": "x", "skills": [], "hourly_rate_usd": 5}, "skills", "skill", agent="hr"),
    Refusal("contractor_list", {"min_trust": 2}, "min_trust", "from 0 to 1"),
    Refusal("contractor_trust_update", {"contractor_id": "CONT-9", "quality_score": 1}, "contractor_id", "CONT-9",
            agent="hr"),
    Refusal("work_package_create", {**_PACKAGE, "budget_usd": "ten"}, "budget_usd", "a number"),
    Refusal("work_package_assign", {"package_id": "WP-9", "contractor_id": "CONT-1"}, "package_id", "WP-9"),
    Refusal("work_package_update", {"package_id": "WP-1", "status": "done"}, "status", "complete"),
    Refusal("work_package_list", {"status": "closed"}, "status", "open"),
    Refusal("handoff", {**_HANDED, "handoff_type": "human_to_human"}, "from", "no contractor 'cmo'", agent="cmo"),
    Refusal("workflow_create", {"name": "x", "goal_id": "G-9"}, "goal_id", "G-9"),
    Refusal("workflow_delete", {"workflow_id": "W-9"}, "workflow_id", "W-9"),
    Refusal("workflow_status", {"workflow_id": "W-1", "status": "paused"}, "status", "running"),
    Refusal("workflow_inspect", {"workflow_id": "W-9"}, "workflow_id", "W-9"),
    Refusal("workflow_validate", {"workflow_id": "W-9"}, "workflow_id", "W-9"),
    Refusal("bpmn_add_node", {"workflow_id": "W-1", "type": "userTsk", "name": "x"}, "type", "did you mean 'userTask'"),
    Refusal("bpmn_remove_node", {"workflow_id": "W-1", "node_id": "N-9"}, "node_id", "N-9"),
    Refusal("bpmn_connect", {"workflow_id": "W-1", "from": "N-9", "to": "N-1"}, "from", "N-9"),
    Refusal("bpmn_add_lane", {"workflow_id": "W-1", "name": "x", "lane_id": "L-1"}, "lane_id", "L-1"),
    Refusal("graph_status", {"business_id": "globex"}, "business_id", "globex"),
    Refusal("graph_sync_schema", {"business_id": "globex"}, "business_id", "globex"),
    Refusal("graph_query", {"query": "goal_tre"}, "query", "did you mean 'goal_tree'"),
    Refusal("graph_sync_agent_data", {"business_id": "globex"}, "business_id", "globex"),
    Refusal("goal_seed_business", {"business_id": "globex"}, "business_id", "globex", agent=None),
    Refusal("business_create", {"business_id": "acme", "name": "x", "template": "saas"}, "business_id", "acme",
            agent=None),
    Refusal("business_list", {"template": "saas"}, "template", "there is no argument 'template'"),
    Refusal("business_status", {"business_id": "acne"}, "business_id", "did you mean 'acme'"),
    Refusal("onboard_business", {"business_id": "../x", "name": "x", "template": "saas"}, "business_id", "../x",
            agent=None),
    Refusal("setup_health_check", {"deep": True}, "deep", "there is no argument 'deep'"),
    Refusal("content_generate", {"type": "poem", "title": "x"}, "type", "blog_post", agent="cmo"),
    Refusal("ad_campaign_create", {**_CAMPAIGN, "channel": "radio"}, "channel", "search, social", agent="cmo"),
    Refusal("ad_campaign_manage", {"campaign_id": "CMP-9", "action": "stop"}, "campaign_id", "CMP-9", agent="cmo"),
    Refusal("crm_create_contact", {"email": "nobody"}, "email", "nobody", agent="cmo"),
    Refusal("crm_tag_contacts", {"tag": "x", "contacts": ["bo@example.com"]}, "contacts", "bo@", agent="cmo"),
    Refusal("crm_pipeline", {"action": "move", "deal_id": "DEAL-9", "stage": "won"}, "deal_id", "DEAL-9", agent="cmo"),
    Refusal("lead_scoring", {"contact": "bo@example.com"}, "contact", "bo@example.com", agent="cmo"),
    Refusal("email_send", {"to": "nobody", "subject": "x", "text": "y"}, "to", "nobody", agent="ceo"),
    Refusal("email_campaign", {"name": "x", "template": "nothing", "segment": "ent"}, "template", "noth", agent="ceo"),
    Refusal("seo_audit", {"path": "../../agents"}, "path", "agents", agent="cmo"),
    Refusal("keyword_tracker", {"keywords": ["x"], "path": "nowhere"}, "path", "nowhere", agent="cmo"),
    Refusal("metrics_record", {"name": "mrr", "value": "many"}, "value", "a number"),
    Refusal("metrics_dashboard", {"points": 0}, "points", "at least 1"),
    Refusal("report_generate", {"format": "docx"}, "format", "markdown"),
    Refusal("stripe_create_product", {"name": ""}, "name", "a non-empty string", agent="strategy"),
    Refusal("webhook_process", {"source": "stripe", "body": "{}", "headers": {}}, "headers", "Stripe-Signature"),
    Refusal("stripe_create_price", {"product": "Prp", "amount_usd": 5}, "product", "Pro", agent="strategy"),
)  # fmt: skip
