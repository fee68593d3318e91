"""How answers look to people: one file a subject, each a function of data that returns something rich can print.

Reading order: `words` (numbers, shares and plain words), then `mind`, `phases`, `chain`. Nothing here reads a file or
decides anything.

    from mabos.views.words import count

    assert count(2, "message") == "2 messages"
"""
