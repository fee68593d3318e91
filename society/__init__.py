"""The shared world of agents and people: messages, approval, contractors, businesses, and a simulated market.

In reading order: `messages.py`, `inbox.py`, `protocols/` (messages, their storage, and their allowed order);
`governance.py`, `expenses.py`, `decisions.py` (approval); `roles.py`, `templates.py`, `provisioning.py`, `business.py`
(a company of nine agents, from data); `campaigns.py`, `pricing.py`, `content.py`, `workforce.py`, `metrics.py` (a
business's assets and activities); `contacts.py`, `deals.py`, `customers.py`, `lead_scores.py`, `letter_templates.py`,
`mailings.py` (possible buyers, and letters to them); `findings.py`, `quantities.py`, `metrics_file.py`, `brief.py`,
`intake.py` (documents people drop); `workflows.py` and `bpmn/` (processes as BPMN files, checked, drawn and run);
`simulation/`.

Stored records are declared on their classes (`workspace/records.py`) and read through views (`workspace/view.py`).

    from mabos.society.business import create_business, manifests
    create_business(layout, "acme", name="Acme", template="saas", governance=settings.governance, **services)
    manifests(layout)["acme"].agents["cfo"]
"""
