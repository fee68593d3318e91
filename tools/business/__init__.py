"""Founding and running a business.

`businesses.py` founds and lists them and `health.py` reports how a workspace is set up. `metrics.py`, `crm.py`,
`marketing.py` and `seo.py` are the operations of daily trade; `integration.py` reaches outside services and
`webhooks.py` takes in what they report.
"""
