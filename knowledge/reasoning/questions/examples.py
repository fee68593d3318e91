"""All methods of reasoning with one example each: a question in words, else the purpose of its form."""

from collections.abc import Mapping

from mabos.knowledge.reasoning.methods import METHODS, schema

QUESTIONS: Mapping[str, str] = {
    "deductive": "All managers are employees. All employees have a badge. Rita is a manager. Does Rita have a badge?",
    "abductive": "The lawn is wet. If it rains, the lawn is wet, and if the sprinkler runs, the "
    "lawn is wet. It did not rain. Why is the lawn wet?",
    "deontic": "Managers may approve expenses up to 500. Ann is a manager. May Ann approve an expense of 640?",
    "temporal": "Ann is free from 9 to 11. Bob is free from 10 to 12. When can they meet for an hour?",
    "bayesian": "1% of the mails are fraud. Our filter flags 90% of the fraud and 9% of the honest ones. A mail was "
    "flagged: how likely is it fraud?",
    "decision-theory": "If demand is high, a large hall earns 200 and a small one 100; if demand is low, "
    "the large hall loses 180 and the small one loses 20. High demand has probability 0.5. Which should we build?",
    "expected-utility": "Fire has a probability of 1% and would cost 500,000. Theft has a probability of 10% and would "
    "cost 20,000. Which risk is bigger?",
    "monte-carlo": "Profit is price times units. Price is between 9 and 11, units are between 800 and 1,200. Which of "
    "them matters most?",
    "interventional": "What if we raise the price from 20 to 22 and lose 5% of our 1,000 customers?",
    "root-cause": "The service fails if the database fails or if both web servers fail. The database fails with "
    "probability 1%, each web server with probability 5%. How likely is a failure?",
    "systems-thinking": "If 500 subscribers grow by 4% a month, how many will there be in 12 months?",
    "pattern-recognition": "Sales in the last months were 10, 12, 13, 15, 16, 18, 19, 21. What will next month be?",
    "satisficing": "I will interview 10 candidates one after the other and must decide on the spot. How many should I "
    "let pass?",
    "game-theory": "Two shops can each keep or cut their price. If both keep, each earns 10. If both "
    "cut, each earns 5. If one cuts and the other keeps, the one who cuts earns 14 and the other 2. What will happen?",
    "negotiation": "The seller wants at least 80 and the buyer pays at most 100. What price would be fair?",
    "social-choice": "We voted: 8 votes for the barn, 6 for the hotel, 5 for the boat. What wins by plurality?",
}
"""A question in words that each of these methods answers."""


def method_rows() -> list[dict[str, str]]:
    """Return each method with its category, an example, and whether that is a question in words or a form."""
    rows = []
    for one in METHODS:
        purpose = " ".join((schema(one.kinds[0]).__doc__ or "").split()).partition(". ")[0].rstrip(".")
        form = f'a form, as {{"kind": "{one.kinds[0]}", ...}}: {purpose}'
        asked = "question" if one.name in QUESTIONS else "form"
        example = QUESTIONS.get(one.name, form)
        rows.append({"method": one.name, "category": one.category, "asked": asked, "example": example})
    return rows
