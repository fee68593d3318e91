"""Beliefs about effects: of advertising, of prices on customers, and of work on the product.

`records.Records` is a company's record; `levers` makes beliefs of it and rolls them forward. Beliefs are a function of
records and priors: they can always be rebuilt.
"""
