"""Letters to customers.

Read `email.py` first: the operations, for one letter or a campaign. `letters.py` makes the letter from the arguments,
`sending.py` hands it over once, and `mailing.py` keeps a campaign going until its end.
"""
