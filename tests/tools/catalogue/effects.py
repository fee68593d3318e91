"""What each writing tool changes: a call in a furnished company, a file, and what stands there after it, not before."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.society.webhooks.test_signatures import headers
from tests.tools.catalogue.house import MONDAY

Call = tuple[str | None, str, Mapping[str, Any]]
_PRICE = {"unit_amount": 4900, "currency": "usd", "recurring": {"interval": "month", "interval_count": 1}}
_SUBSCRIPTION = {"id": "sub_1", "customer": "cus_1", "status": "active", "items": {"data": [
    {"price": _PRICE, "quantity": 1}]}}  # fmt: skip
_REPORT = json.dumps({
    "id": "evt_1", "object": "event", "type": "customer.subscription.created", "created": int(MONDAY.timestamp()),
    "data": {"object": _SUBSCRIPTION}})  # fmt: skip
_ILLNESS = {
    "kind": "hypotheses", "prior": {"ill": 0.01, "well": 0.99}, "likelihood": {"ill": 0.8, "well": 0.096},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Effect:
    """`tool`, called with `arguments`, `days` after the calls in `first`, lets `file` gain a text or lose one."""

    tool: str
    arguments: Mapping[str, Any]
    file: str
    gains: str = ""
    loses: str = ""
    agent: str | None = "cfo"
    first: tuple[Call, ...] = ()
    days: int = 0


GRAPH = ".mabos/graph/acme.sqlite"
CONTACTS = "businesses/acme/crm/contacts.json"
WORKFLOW = "businesses/acme/workflows/w-1.bpmn"
EFFECTS = (
    # BDI core, desires, planning
    Effect("belief_update", {"description": "Rent is 900", "certainty": 0.8, "source": "lease"},
           "agents/cfo/Beliefs.md", "Rent is 900"),
    Effect("goal_create", {"level": "operational", "description": "Close the books", "goal_id": "G-2"},
           "agents/cfo/Goals.md", "Close the books"),
    Effect("goal_evaluate", {"goal_id": "G-1"}, "agents/cfo/Goals.md", "evaluated"),
    Effect("intention_commit", {"goal_id": "G-2", "plan_id": "P-2", "intention_id": "I-2", "strategy": "cautious"},
           "agents/cfo/Intentions.md", "I-2", first=(
               ("cfo", "goal_create", {"level": "operational", "description": "x", "goal_id": "G-2"}),
               ("cfo", "plan_generate", {"goal_id": "G-2", "plan_id": "P-2", "steps": [{"description": "y"}]}))),
    Effect("bdi_cycle", {"depth": "quick"}, "agents/cfo/Intentions.md", "**Progress:** 0.5"),
    Effect("desire_create", {"name": "Pay less rent", "type": "optimize", "category": "instrumental", "base": 0.5,
                             "importance": 0.5, "urgency": 0.5, "alignment": 0.5, "desire_id": "D-2"},
           "agents/cfo/Desires.md", "Pay less rent"),
    Effect("desire_evaluate", {}, "agents/cfo/Desires.md", "**Priority:** 0.90", days=300, first=(
        ("cfo", "desire_drop", {"desire_id": "D-1"}),
        ("cfo", "desire_create", {"name": "Be early", "type": "achieve", "category": "terminal", "base": 0.9,
                                  "importance": 0.9, "urgency": 0.1, "alignment": 0.9, "desire_id": "D-3",
                                  "deadline": "2026-12-01"}))),
    Effect("desire_drop", {"desire_id": "D-1", "reason": "No longer ours"}, "agents/cfo/Desires.md", "No longer ours"),
    Effect("intention_reconsider", {"intention_id": "I-1", "trigger": "external_event", "details": "The bank called"},
           "agents/cfo/Intentions.md", "The bank called"),
    Effect("plan_generate", {"goal_id": "G-1", "plan_id": "P-9", "steps": [{"description": "Ask the landlord"}]},
           "agents/cfo/Plans.md", "Ask the landlord"),
    Effect("plan_execute_step", {"plan_id": "P-1"}, "agents/cfo/facts.json", '"runway"'),
    Effect("plan_adapt", {"source_case_id": "CASE-1", "target_goal_id": "G-1", "plan_id": "P-8"},
           "agents/cfo/Plans.md", "P-8"),
    # Memory
    Effect("memory_store_item", {"content": "Rent rises in May", "importance": 0.7, "type": "fact"},
           "agents/cfo/memory-store.json", "Rent rises in May"),
    Effect("memory_consolidate", {}, "agents/cfo/MEMORY.md", "Churn is 5 percent"),
    Effect("memory_checkpoint", {"context": "Closing the books", "next_steps": ["Count the cash"]},
           "agents/cfo/memory/checkpoints/2026-01-05-0900.md", "Count the cash"),
    Effect("memory_build_hierarchy", {"scope": "week"}, "agents/cfo/memory/weekly/2026-W02.md", "Churn is 5 percent"),
    # Knowledge
    Effect("fact_assert", {"subject": "acme", "predicate": "rent", "object": "900", "confidence": 1, "source": "lease"},
           "agents/cfo/facts.json", '"rent"'),
    Effect("fact_import", {"path": "facts.csv"}, "agents/cfo/facts.json", '"landlord"'),
    Effect("fact_retract", {"subject": "acme", "predicate": "churn"}, "agents/cfo/facts.json", loses='"churn"'),
    Effect("rule_create", {"name": "Rent", "description": "Too dear", "type": "constraint", "rule_id": "R-2",
                           "conditions": [{"subject": "?c", "predicate": "rent"}], "violation_message": "Pays rent"},
           "agents/cfo/rules.json", "Pays rent"),
    Effect("rule_toggle", {"rule_id": "R-1", "enabled": False}, "agents/cfo/rules.json", '"enabled": false'),
    Effect("policy_eval", {}, "agents/cmo/inbox.json", "Win them back", first=(
        ("cfo", "rule_create", {"name": "Churn", "description": "x", "type": "policy", "rule_id": "R-3",
                                "conditions": [{"subject": "?c", "predicate": "churn"}],
                                "action": 'REQUEST cmo "Win them back"'}),)),
    Effect("infer_forward", {"persist": True}, "agents/cfo/facts.json", '"at_risk"'),
    Effect("cbr_store", {"situation": {"beliefs": {"rent": 900}}, "solution": {"plan_summary": "Moved out"},
                         "outcome": {"status": "failure"}, "case_id": "CASE-2"}, "agents/cfo/cases.json", "Moved out"),
    Effect("ontology_propose_concept", {
        "domain": "saas", "node_type": "class", "node_id": "saas:GraceWeek", "label": "Grace week", "rationale": "x",
        "parent_class": "mabos:BusinessEntity", "sbvr_definition": "A week in which a late payer keeps access"},
        "ontologies/proposals/saas-proposals.json", "saas:GraceWeek"),
    Effect("ontology_validate_proposal", {"proposal_id": "{proposal_id}"}, "ontologies/proposals/saas-proposals.json",
           '"valid": true', agent="knowledge"),
    Effect("ontology_merge_approved", {"proposal_id": "{proposal_id}"}, "ontologies/saas.jsonld", "saas:DunningLetter",
           agent="knowledge", first=(("knowledge", "ontology_validate_proposal", {"proposal_id": "{proposal_id}"}),)),
    Effect("ontology_scaffold_domain", {"template": "agency", "domain_name": "studio"}, "ontologies/studio.jsonld",
           "Retainer", agent="knowledge"),
    Effect("reason", {"problem": _ILLNESS, "method": "bayesian"}, "agents/cfo/reasoning.json", '"bayesian"'),
    # Communication and the owner
    Effect("agent_message", {"to": "cmo", "performative": "REQUEST", "content": "Send me the figures"},
           "agents/cmo/inbox.json", "Send me the figures"),
    Effect("decision_request", {"subject": "Move out?", "description": "x", "options": ["yes", "no"]},
           "businesses/acme/decision-queue.json", "Move out?"),
    Effect("contract_net_initiate", {"task_description": "Count the stock", "task_id": "CFP-2", "candidates": ["cto"]},
           "agents/cto/inbox.json", "Count the stock", agent="ceo"),
    Effect("contract_net_propose", {"task_id": "CFP-1", "approach": "By sampling", "estimated_cost": 5,
                                    "estimated_duration": 2, "confidence": 0.9}, "contract-net/CFP-1.json",
           "By sampling"),
    Effect("contract_net_award", {"task_id": "CFP-1"}, "contract-net/CFP-1.json", '"awarded"', agent="ceo", first=(
        ("cfo", "contract_net_propose", {"task_id": "CFP-1", "approach": "By sampling", "estimated_cost": 5,
                                         "estimated_duration": 2, "confidence": 0.9}),)),
    Effect("stakeholder_profile", {"approval_threshold_usd": 777}, "businesses/acme/stakeholder.json", "777",
           agent=None),
    Effect("decision_resolve", {"decision_id": "DEC-1", "resolution": "reject", "feedback": "Too early"},
           "businesses/acme/decision-queue.json", "Too early", agent=None),
    # Workforce
    Effect("contractor_add", {"name": "Bo", "skills": ["design"], "hourly_rate_usd": 60}, "contractor-pool.json",
           '"Bo"', agent="hr"),
    Effect("contractor_trust_update", {"contractor_id": "CONT-1", "quality_score": 1}, "contractor-pool.json",
           '"trust_score": 0.6', agent="hr"),
    Effect("work_package_create", {"title": "Translate", "description": "x", "required_skills": ["law"],
                                   "budget_usd": 20}, "businesses/acme/work-packages.json", "Translate", agent="cmo"),
    Effect("work_package_assign", {"package_id": "WP-1", "contractor_id": "CONT-1"},
           "businesses/acme/work-packages.json", '"assigned_to": "CONT-1"', agent="hr"),
    Effect("work_package_update", {"package_id": "WP-1", "status": "cancelled"}, "businesses/acme/work-packages.json",
           '"cancelled"', agent="hr"),
    Effect("handoff", {"from": "cmo", "to": "CONT-1", "package_id": "WP-1", "handoff_type": "agent_to_human",
                       "instructions": "Start with page one"}, "businesses/acme/handoff-log.json",
           "Start with page one", agent="cmo"),
    # Workflows
    Effect("workflow_create", {"name": "Refunds", "workflow_id": "W-2"}, "businesses/acme/workflows/w-2.bpmn",
           "Refunds"),
    Effect("workflow_delete", {"workflow_id": "W-1"}, WORKFLOW, loses="Sales"),
    Effect("workflow_status", {"workflow_id": "W-1", "status": "running"}, "businesses/acme/workflows.json",
           '"running"'),
    Effect("bpmn_add_node", {"workflow_id": "W-1", "type": "userTask", "name": "Write it down"}, WORKFLOW,
           "Write it down"),
    Effect("bpmn_remove_node", {"workflow_id": "W-1", "node_id": "N-2"}, WORKFLOW, loses='id="N-2"'),
    Effect("bpmn_connect", {"workflow_id": "W-1", "from": "N-1", "to": "N-3", "flow_id": "F-9"}, WORKFLOW,
           'id="F-9"'),
    Effect("bpmn_add_lane", {"workflow_id": "W-1", "name": "Support", "assignee": "coo"}, WORKFLOW, "Support"),
    # Graph and business
    Effect("graph_sync_schema", {}, GRAPH, "agent_reports_to"),  # without a Neo4j, the embedded graph is made ready
    Effect("graph_sync_agent_data", {}, GRAPH, "Runway is 9 months"),
    Effect("goal_seed_business", {}, "agents/cfo/Goals.md", "Never have less than six months of runway", agent=None),
    Effect("business_create", {"business_id": "globex", "name": "Globex", "template": "retail"},
           "businesses/globex/business.json", '"globex-cfo"', agent=None),
    Effect("onboard_business", {"business_id": "initech", "name": "Initech", "template": "consulting",
                                "value_propositions": ["Reports by Friday"]}, "businesses/initech/business.json",
           "Reports by Friday", agent=None),
    Effect("content_generate", {"type": "pricing_page", "tier": "enterprise"}, "businesses/acme/content.json",
           "Enterprise: pricing page", agent="cmo"),
    Effect("ad_campaign_create", {"name": "Autumn", "channel": "social", "segment": "mid", "weekly_budget_usd": 20,
                                  "weeks": 3}, "businesses/acme/campaigns.json", "Autumn", agent="cmo"),
    Effect("ad_campaign_manage", {"campaign_id": "{campaign_id}", "action": "pause"}, "businesses/acme/campaigns.json",
           '"paused"', agent="cmo"),
    Effect("crm_create_contact", {"email": "bo@example.com", "name": "Bo"}, CONTACTS, "bo@example.com", agent="cmo"),
    Effect("crm_tag_contacts", {"tag": "enterprise_prospect", "contacts": ["ana@example.com"]}, CONTACTS,
           "enterprise_prospect", agent="cmo"),
    Effect("crm_pipeline", {"action": "create", "title": "Whole campus", "contact": "ana@example.com",
                            "value_usd": 5000}, "businesses/acme/crm/deals.json", "Whole campus", agent="cmo"),
    Effect("email_send", {"to": "ana@example.com", "subject": "Hello", "text": "Hi Ana"},
           "businesses/acme/mail/letters.json", "ana@example.com", agent="ceo"),
    Effect("email_campaign", {"name": "Spring letter", "subject": "Hello", "text": "Hi", "segment": "ent"},
           "businesses/acme/mail/mailings.json", "Spring letter", agent="ceo"),
    Effect("keyword_tracker", {"keywords": ["teams"], "path": "drafts"}, "businesses/acme/keywords.json",
           '"teams"', agent="cmo"),
    Effect("metrics_record", {"name": "churn_rate", "value": 4.25}, "businesses/acme/metrics/metrics.json", "4.25"),
    Effect("report_generate", {"title": "Our week"}, "businesses/acme/reports/report-2026-01-05.md", "# Our week"),
    Effect("stripe_create_product", {"name": "Team"}, "businesses/acme/pricing.json", "Team", agent="strategy"),
    Effect("stripe_create_price", {"product": "Pro", "amount_usd": 49}, "businesses/acme/pricing.json", "4900",
           agent=None, first=((None, "stakeholder_profile", {"decision_style": "exception-based"}),)),
    Effect("webhook_process", {"source": "stripe", "body": _REPORT, "headers": headers("stripe", _REPORT, MONDAY)},
           "agents/cfo/facts.json", '"sub_1"', agent=None),
)  # fmt: skip
