"""Small talk: greetings are returned, thanks and goodbyes are acknowledged."""

import re

from mabos.language.request import Request
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import fold

_GREETINGS = (
    ("Good morning", r"\bmorning?\b|\bmornin\b"),
    ("Good afternoon", r"\bafternoon\b"),
    ("Good evening", r"\bevenin[g]?\b"),
    ("Welcome back", r"\b(?:i m|i am|im)? ?back (?:from|again|in the office|at (?:work|my desk))\b"),
    ("Hello", r"\b(?:hello|hallo|hi+|hiya|hey+a?|heya|howdy|greetings|yo|good day|g day|welcome back)\b"),
)
_THANKS = re.compile(r"\b(?:thanks?|thx|thank you|ty|cheers|ta|much obliged|appreciate\w*|grateful)\b")
_BYES = question_forms("in_smalltalk")["byes"]
_HOW = re.compile(r"\bhow (?:are|r) (?:you|u|things)\b|\bhow s (?:it|life|things)\b|\byou (?:ok|okay|well)\b")
_PRAISE = re.compile(r"\b(?:well done|good (?:job|work)|great|nice|lovely|perfect|excellent|brilliant|super|fine)\b")
_SHORT = 100
_SORRY = re.compile(r"\b(?:sorry|apolog\w+|my bad)\b")


def small_talk(agent: Agent, request: Request) -> Say:
    """Return an answer in the same tone, without a promise or an action."""
    message = agent.inbox.find(request.message_id)  # its greeting is no part of the sentence
    said = fold(message.content if message is not None and len(message.content) < _SHORT else request.sentence)
    parts = []
    if greeting := next((words for words, form in _GREETINGS if re.search(form, said)), ""):
        name = agent.business.profile.name.strip() if agent.business_id else ""
        parts.append(f"{greeting}{f', {name}' if name else ''}!")
    if _THANKS.search(said):
        parts.append("You are welcome.")
    if _SORRY.search(said):
        parts.append("That is all right.")
    if _HOW.search(said):
        parts.append("I am ready to work.")
    if _BYES.search(said):
        parts.append("Goodbye.")
    elif greeting:
        parts.append("What can I do for you?")
    if not parts:
        parts.append("Good to hear." if _PRAISE.search(said) else "All right.")
    return Say(" ".join(parts))
