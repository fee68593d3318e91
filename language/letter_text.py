"""Find the end of a letter's text, and the sentences after it that address its writer."""

import re

from mabos.language.wordlists import order_form

_ON_SENDING = (
    r"(?:but |and |please |though |just )*(?:(?:only|do not|don['’]t|never) (?:send|post|mail|write|hand) "
    r"(?:it|this|them|that)\b|(?:not|only) to (?!be\b|worry)|leave (?:out\b|[^.!?]{2,40} out\b)|"
    r"(?:do not|don['’]t) (?:include|write to|send (?:it )?to|mail) (?:the|those|anybody|anyone|(?-i:[A-Z]))|"
    r"(?:wait|hold) (?:with it|on with|it|off)\b|(?:sign|address|keep|make) it (?!possible|a|to)\w+|"
    r"(?:do not|don['’]t) (?:mention|say (?:anything|a word)|tell them)\b|(?:cc|bcc|copy) )"
)
ASIDE = re.compile(
    r"(?i)(?:[^.!?]*\b(?:show|let|run|bring|send|give|read) (?:it |this |that |them |the (?:letter|draft|text|"
    r"mail) )*(?:to |by |past )?(?:me|us)\b(?: (?:first|have|see|read|check|look|before|approve|know)\b|[.!]|$)|"
    r"(?:but |and |only |please |though )*"
    r"i(?:['’]d| would| will| shall| must|['’]ll| want| need| wish| prefer)(?: like| rather| prefer| want)?(?: to)? "
    r"(?:see(?! you)|read|check|look(?! forward)|approve|sign|have a look|give (?:you|it)|go (?:over|through)|say yes|"
    r"ok|okay|give the nod)\b|"
    r"[^.!?]*\b(?:don['’]?t|do not|never|not to be|nothing|hold|keep|leave|wait)\b[^.!?]*\b(?:send|sent|post|posted|"
    r"go|goes|out|it|draft|back)\b[^.!?]*\b(?:till|until|before|unless|draft|yet|say)\b|"
    r"(?:please )?(?:ask|check with|consult|wait for|show|tell|come to) (?:me|my)\b.*|"
    r"[^.!?]*\b(?:before|until|till)\b[^.!?]*\b(?:send|sent|goes|go|leaves?|posted?|mailed)\b[^.!?]*[.!?]*$|"
    rf"(?:{_ON_SENDING})|"
    r"(?:just |only |please )*(?:a |as a )?drafts? (?:only|first|for now|please)|[^.!?]*\bas a draft\b|"
    r"[^.!?]*\b(?:for|needs?|with|without|after|until) my (?:approval|ok|okay|eyes|nod|yes|go-ahead|signature|"
    r"say-so)\b)"
)
"""A sentence behind the text of a letter that speaks to the writer about the letter: it is no part of it."""
_SIGHT = (
    r"(?:see|seeing|seen|read|reading|check|checked|checking|look|looked|looking|glance|eye|approved?|approving|ok|okay|"
    r"okayed|ok['’]d|sign|signed|view|viewed|proof-?read|go|gone|going|preview|vet|vetted|inspect|pass|passed)"
)
SEES_FIRST = re.compile(
    rf"(?i)(?=[^.!?;]*\b(?:first|before|beforehand|until|till|without|unless|yet|prior to|ahead of)\b)[^.!?;]*"
    rf"\b(?:i|me|my|i['’](?:d|ll|ve|m))\b(?: \S+){{0,4}}? {_SIGHT}(?: \S+){{0,2}}? (?:it|this|that|them|everything|"
    r"(?:the|your) (?:letter|e-?mail|mail|draft|text|message|wording|whole thing|lot)s?)\b[^.!?;]*[.!?;]?"
)
"""A sentence by which the owner wants to see a thing before it leaves: "It stays here until I have read it"."""
TO_THE_WRITER = re.compile(_ON_SENDING, re.IGNORECASE)
"""A sentence next to the facts of a letter that says to whom or when it goes: it is no part of its text."""
_FAREWELL = order_form("letter_text.farewell")


def letter_end(words: str) -> int:
    """Return where the text of a letter ends, before sentences that are meant for its writer.

    >>> "We are shut on Monday. Show me first, please."[: letter_end("We are shut on Monday. Show me first, please.")]
    'We are shut on Monday.'
    """
    sentences = list(re.finditer(r"\S.*?(?:[.!?]+['\"”’]?(?=\s|$)|$)", words, re.DOTALL))
    end = len(words.rstrip())
    for one in reversed(sentences[1:]):
        if not (ASIDE.match(one[0]) or SEES_FIRST.match(one[0]) or _FAREWELL.fullmatch(one[0].strip())):
            break
        end = one.start()
    return len(words[:end].rstrip())
