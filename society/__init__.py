"""What agents and people do together: messages, approval, contractors, businesses, and a simulated market.

In reading order: `messages.py`, `inbox.py`, `protocols/` (what is said, where it lies, what may come next);
`governance.py`, `expenses.py`, `decisions.py` (who must say yes);
`roles.py`, `templates.py`, `provisioning.py`, `business.py` (a company of nine agents, from data);
`campaigns.py`, `pricing.py`, `content.py`, `workforce.py`, `metrics.py` (what a business has and does);
`contacts.py`, `deals.py`, `customers.py`, `lead_scores.py`, `letter_templates.py`, `mailings.py` (who may buy, and what
is written to them); `findings.py`, `quantities.py`, `metrics_file.py`, `brief.py`, `intake.py` (documents people drop);
`workflows.py` and `bpmn/` (processes as BPMN files, checked, drawn and run); `simulation/`.

Stored records are declared on their classes (`workspace/records.py`) and read through views (`workspace/view.py`).

    from mabos.society.business import create_business, manifests
    create_business(layout, "acme", name="Acme", template="saas", governance=settings.governance, **services)
    manifests(layout)["acme"].agents["cfo"]
"""
