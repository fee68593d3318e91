"""The layout of answers for people: one file per subject, each with functions that return rich renderables.

Reading order: `words` (numbers, texts and tables), then any subject: `mind` with `commitments`, `phases`, `chain`,
`simulation` with `difference`, `threads`. Nothing here reads files or makes decisions.

    from mabos.interfaces.views.words import count

    assert count(2, "message") == "2 messages"
"""
