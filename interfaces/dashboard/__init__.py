"""The dashboard: a company in the browser, for the person who owns it.

Reading order: `view` (what a view is given, and how a page is made of it), `views` (the table of all of them), then
any view: functions from the open workspace to what a page shows. `wording`, `svg` and `springs` say and draw it.
`activity` puts the ledger into words. `actions` are what a person does from a page, and `forms` reads what a browser
sends. `entrance` says who may come in, `visits` when they were here last, `changes` when a page is out of date, `app`
joins all of it.

    from mabos.interfaces.dashboard.app import dashboard
    from mabos.interfaces.surfaces.door import Door

    app = dashboard(lambda: Door(services, publishes=True))
"""
