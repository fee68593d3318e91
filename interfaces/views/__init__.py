"""The layout of answers for people: one file a subject, each a function of data that returns a rich renderable.

Reading order: `words` (numbers, texts and tables), then any subject: `mind` with `commitments`, `phases`, `chain`,
`simulation` with `difference`, `threads`. Nothing here reads a file or decides anything.

    from mabos.interfaces.views.words import count

    assert count(2, "message") == "2 messages"
"""
