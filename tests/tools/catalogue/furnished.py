"""One of everything that calls refer to, under ids that are known: a goal, a plan, a rule, a contractor, a workflow."""

import json
from pathlib import Path
from typing import Any

from mabos.configs.yaml_file import read_yaml
from tests.society.webhooks.test_signatures import headers
from tests.tools.catalogue.house import MONDAY
from tests.world import World

CASES = read_yaml(Path(__file__).with_name("furnished_cases.yaml"))
PARTS: list[tuple[str | None, str, dict[str, Any]]] = CASES["parts"]

_CONDITION = {"subject": "?c", "predicate": "churn"}
_REPORT = json.dumps(
    {"id": "evt_1", "type": "customer.created", "created": 1767603600,
     "data": {"object": {"id": "cus_1", "email": "bo@example.com"}}}
)  # fmt: skip
KNOWN: dict[str, tuple[Any, ...]] = {
    "belief_id": ("B-1",), "desire_id": ("D-1",), "goal_id": ("G-1",), "parent_goal_id": ("G-1",), "plan_id": ("P-1",),
    "step_id": ("s1", "s2"), "intention_id": ("I-1",), "rule_id": ("R-1",), "source_case_id": ("CASE-1",),
    "target_goal_id": ("G-1",), "case_id": ("CASE-1",), "decision_id": ("DEC-1",), "task_id": ("CFP-1",),
    "contractor_id": ("CONT-1",), "package_id": ("WP-1",), "workflow_id": ("W-1",), "lane_id": ("L-1",),
    "node_id": ("N-1", "N-2"), "business_id": ("acme",), "product": ("Pro",), "taskId": ("TASK-1",),
    "subject": ("acme", "?x", "*"), "predicate": ("churn",), "domain": ("saas",), "entity": ("keep-customers",),
    "goal_predicate": ("churn", "at_risk"), "goal_subject": ("acme",), "target": ("keep-customers",),
    "start_entity": ("keep-customers",), "deadline": ("2026-02-01", "2026-02-30", "tomorrow"),
    "valid_at": ("2026-01-06",), "since": ("2026-01-01",), "conditions": ([_CONDITION], [_CONDITION, _CONDITION]),
    "conclusion": ({"subject": "?c", "predicate": "small", "object": "yes"},), "priority": ("normal", "urgent", 0.5),
    "observation": ({"subject": "acme", "predicate": "at_risk", "object": "yes"}, "acme at_risk yes"),
    "options": (["yes", "no"], [{"id": "A", "label": "Yes"}]), "beliefs": ({"churn": 5},), "desires": ({"keep": 0.8},),
    "situation": ({"beliefs": {"churn": 5}},), "outcome": ({"status": "success"}, "failure", "done"),
    "hourly_rate_usd": (50, 0.5), "estimated_hours": (1, 80), "until": ("2026-02-01",), "bpmn": ("",),
    "method": ("bayesian", "deductive", "fusion"), "domain_name": ("studio",), "node_type": ("class",),
    "recommendation": ("",), "reply_to": ("",), "conversation_id": ("", "CONV-1"), "reply_by": ("2026-02-01",),
    "agent_message.from": ("cfo", ""), "agent_message.to": ("cmo", "ceo"), "handoff.from": ("cmo", "cfo"),
    "handoff.to": ("CONT-1", "cto"), "bpmn_connect.from": ("N-1", "N-2"), "bpmn_connect.to": ("N-2", "N-3"),
    "knowledge.from": ("keep-customers",), "knowledge.to": ("win-customers",), "initiator": ("cfo", "ceo"),
    "bpmn_add_node.type": ("userTask", "serviceTask", "exclusiveGateway", "boundaryEvent", "intermediateEvent"),
    "bpmn_add_node.tool": ("fact_query", ""), "graph_query.query": ("belief_to_plan", "goal_tree", "holdings"),
    "contact": ("ana@example.com",), "contacts": (["ana@example.com"],), "email": ("bo@example.com", "ana@example.com"),
    "email_send.to": ("ana@example.com",), "email_send.subject": ("Hello",), "email_send.text": ("Hello {name}",),
    "email_campaign.name": ("Spring", "Summer"), "email_campaign.subject": ("Hello",),
    "email_campaign.text": ("Hello {name}",), "email_campaign.list": ("trial",), "email_campaign.template": ("",),
    "email_send.template": ("welcome", ""), "email_send.list": ("",), "webhook_process.source": ("stripe",),
    "webhook_process.body": (_REPORT,), "webhook_process.headers": (headers("stripe", _REPORT, MONDAY),),
    "messages": ([{"role": "user", "content": "How long is our runway?"}],),
    "path": ("content", "site"), "keywords": (["teams"],), "list": ("trial",),
    "template": ("saas", ""), "tags": (["trial"],), "segment": ("ent",), "stage": ("lead", "won"),
    "review": ("", "Talked to her"), "trigger": ("external_event", "timer", "message"), "session_id": ("C-1",),
    "problem": ({"kind": "hypotheses", "prior": {"a": 0.5, "b": 0.5}, "likelihood": {"a": 0.1, "b": 0.9}}, "Why?"),
}  # fmt: skip
"""What arguments may be that exists or is well formed, so that a random call gets past its first check."""


def furnish(home: World) -> dict[str, tuple[Any, ...]]:
    """Put one of everything into a company; return what arguments may name: `KNOWN`, and the ids that were made."""
    made = dict(KNOWN)
    home.write("businesses/acme/facts.csv", "subject,predicate,object\nacme,landlord,Ada\n")
    for agent, tool, arguments in PARTS:
        result = home.do(tool, agent or "", **arguments)
        for name in ("proposal_id", "campaign_id", "fact_id"):
            if name in result:
                made[name] = (result[name],)
    made["startNodeIds"] = tuple(one["id"] for one in home.do("mem:retrieve", "cfo", query="sales")["nodes"])
    return made
