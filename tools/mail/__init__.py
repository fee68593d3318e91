"""Letters to customers.

Read `email.py` first: the operations, for one letter or a campaign. `letters.py` builds the letter from the arguments,
`sending.py` sends it once, and `mailing.py` continues a campaign until its end.
"""
