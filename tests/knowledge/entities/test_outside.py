"""A transcript, a thread of mails and notes in Markdown: who is named, what is decided, who undertakes what by when."""

from datetime import UTC, datetime

import pytest

from mabos.knowledge.entities.outside import SessionReading, read_session
from mabos.knowledge.entities.turns import turns

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TRANSCRIPT = """[09:01] Kim Lee: Globex Ltd wants a discount of 12% on the Pro plan.
[09:02] Omar Haddad: Anna Weber from Nordwind GmbH sent an offer of $14,500. Globex uses Stripe.
[09:03] Kim Lee: We agreed to accept the Nordwind offer. I'll send the contract by Friday.
[09:04] Omar Haddad: I will not call them again. Will Anna send the samples? If they sign, I will tell the bank.
[09:05] Kim Lee: Omar will check the invoice from Initech by 12 March. Sales will grow by 4 percent.
[09:06] Omar Haddad: Nobody approved the budget. The decision on hiring was postponed. We will decide next week."""
MAILS = """From: Kim Lee <kim@acme.io>
Date: Mon, 2 Mar 2026 10:00:00 +0000
Subject: Re: Renewal

Hi Omar, we decided to renew for two years.

On Fri, 27 Feb 2026 at 15:12, Omar Haddad <omar@acme.io> wrote:
> Jo Park, CFO of Globex, asked for a call.
> I will call Jo tomorrow."""
NOTES = """# Weekly sync 2026-03-09

## Present
* Kim Lee (@kim)
* Omar Haddad

## Decisions
- Raise the price of the Pro plan to $49

## Action items
- [ ] Kim: send the price list by Friday
- Omar to update the [website](https://acme.io)
- Review the lease (Jo)

## Notes
- **Status**: churn fell to 3.1%"""


def undertaken(told: SessionReading) -> list[tuple[str, str]]:
    return [(one.who, one.due) for one in told.undertakings]


def named(told: SessionReading, kind: str) -> set[str]:
    return {one.label for one in told.names if one.kind == kind}


def test_a_transcript_names_people_firms_and_products_and_what_was_agreed() -> None:
    told = read_session(TRANSCRIPT, NOW)
    assert named(told, "person") == {"Kim Lee", "Omar Haddad", "Anna Weber"}
    assert named(told, "organisation") == {"Globex Ltd", "Nordwind GmbH", "Initech"}
    assert named(told, "product") == {"Pro", "Stripe"}
    stated = {(one.subject, one.predicate, one.object) for one in told.relations}
    assert stated == {("Anna Weber", "works at", "Nordwind GmbH"), ("Globex Ltd", "uses", "Stripe")}
    assert told.decisions == ["We agreed to accept the Nordwind offer."]
    assert undertaken(told) == [("Kim Lee", "2026-03-06"), ("Omar Haddad", "2026-03-12")]
    assert told.amounts == ["12%", "$14,500", "4 percent"]


def test_days_of_a_mail_count_from_when_it_was_sent() -> None:
    told = read_session(MAILS, NOW)
    assert undertaken(told) == [("Omar Haddad", "2026-02-28")]
    assert [(one.text, one.decided_by) for one in told.thoughts if one.kind == "D"] == [
        ("Hi Omar, we decided to renew for two years.", "Kim Lee")
    ]
    assert [(one.subject, one.predicate, one.object) for one in told.relations] == [("Jo Park", "works at", "Globex")]


def test_numbered_speakers_sounds_and_other_languages_give_no_false_names_days_or_commitments() -> None:
    told = read_session("Speaker 1: Oh, I-I met Ines in October.\nSpeaker 2: So go to Lyon. Rex, can you come?", NOW)
    assert ({one.label for one in told.names}, told.days) == ({"Ines", "Lyon", "Rex"}, {"in October": "2025-10"})
    assert not read_session("Kim: Der Kunde Globex will einen Rabatt auf die Rechnung.", NOW).undertakings


def test_notes_have_decisions_and_tasks_under_their_headings() -> None:
    assert not read_session('Kim: She wrote " " and left.', NOW).decisions  # quotation marks around nothing
    told = read_session(NOTES, NOW)
    assert told.decisions == ["Raise the price of the Pro plan to $49"]
    assert undertaken(told) == [("Kim Lee", "2026-03-13"), ("Omar Haddad", ""), ("Jo", "")]
    assert named(told, "person") >= {"Kim Lee", "Omar Haddad"}


@pytest.mark.parametrize("text", [TRANSCRIPT, MAILS, NOTES, "", "MIME-Version: 1.0\nFrom: a\n\n<b>x</b>", "Kim:\n: :"])
def test_turns_read_again_are_the_same(text: str) -> None:
    first = turns(text)
    again = [turn for one in first for turn in turns(str(one))]
    assert [(one.text, one.at) for one in again if one.at] == [(one.text, one.at) for one in first if one.at]
