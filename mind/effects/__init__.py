"""Beliefs about the effects of advertising, of prices on customers, and of product work.

`records.Records` is a company's record; `levers` makes beliefs of it and rolls them forward. Beliefs are a function of
records and priors, so they can always be rebuilt.
"""
