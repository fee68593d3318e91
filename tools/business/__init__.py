"""Founding and running a business.

`businesses.py` founds and lists them, and `health.py` checks the setup of a workspace. `metrics.py`, `crm.py`,
`marketing.py` and `seo.py` are the operations of daily trade. `integration.py` calls outside services and `webhooks.py`
receives their reports.
"""
