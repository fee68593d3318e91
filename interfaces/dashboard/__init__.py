"""The dashboard: a company in the browser, for the person who owns it.

Reading order: `view` (the input of a view, and the rendering of a page), `views` (the table of all of them), then any
view: functions from the open workspace to a page's content. `wording`, `svg` and `springs` format and draw it.
`activity` puts the ledger into words. `actions` are a person's actions on a page, and `forms` parses forms. `entrance`
controls access, `visits` keeps the time of the last visit, `changes` detects an outdated page, `app` combines them.

    from mabos.interfaces.dashboard.app import dashboard
    from mabos.interfaces.surfaces.door import Door

    app = dashboard(lambda: Door(services, publishes=True))
"""
