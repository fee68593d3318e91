"""The briefing of a model before it works on a message: its identity, the company, rules, records, and past talk.

    made = briefing(agent, message, conversation_of(agent, message), budget_tokens=6000)
    made.system, made.message, made.evidence

Reading order: `assembling.py` (the parts, their order and budget), `parts.py` (a part, and its cuts under a budget),
`standing.py` (identity, company, rules, colleagues), `current.py` (date, figures, open work), `relevant.py` (beliefs,
facts, memories, documents and lessons for this message) and `thinking.py` (the same parts for deliberation, planning
and reflection).
"""

from mabos.tools.work.briefing.assembling import Briefing, briefing, conversation_of
from mabos.tools.work.briefing.parts import BriefingPart, fit_parts
from mabos.tools.work.briefing.thinking import ThoughtBriefing, missing_evidence, thinking

__all__ = [
    "Briefing", "BriefingPart", "ThoughtBriefing", "briefing", "conversation_of", "fit_parts", "missing_evidence",
    "thinking",
]  # fmt: skip
