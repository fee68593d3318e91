"""Calls of operations that are known by their JSON Schemas alone, read from requests without a language model.

Reading order: `tokens.py` and `quantities.py` (words, numbers, days), `schema.py` (operations), `candidates.py` (spans
that may be values), `values.py` (a span in the form a schema asks for), `features.py` and `choices.py` (signs of a pair
of slot and value), `scorer.py` (learned trees as plain numbers), `sheet.py` (the best call of one operation),
`judging.py` (does it fit, is it right), `reader.py` (all together). `scripts/train_call_reader.py` fits the scorers.

    from mabos.language.calls import read_call
    from mabos.language.operation import Operation
    schema = {"properties": {"city": {"type": "string"}}, "required": ["city"]}
    read_call("What is the weather in Paris?", [Operation("get_weather", "Get the weather of a city.", schema)])
"""

from mabos.language.calls.reader import ACT, READ_BACK, CallReading, read_call
from mabos.language.operation import Operation

__all__ = ["ACT", "READ_BACK", "CallReading", "Operation", "read_call"]
