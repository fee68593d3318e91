"""Beliefs about effects: what advertising brings, what customers will pay, what work on the product is worth.

`records.Records` is what a company has on record; `believe` makes beliefs of it, and `decide` rolls them forward.
Beliefs are a function of records and priors: nothing is kept that could not be made again.
"""
