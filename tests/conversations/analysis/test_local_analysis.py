"""Findings of the local analyser in small conversations."""

from datetime import UTC, date, datetime

import pytest

from firmograph.conversations.analysis.due_dates import find_due_date
from firmograph.conversations.analysis.local import analyse
from firmograph.conversations.analysis.sentences import quote
from firmograph.conversations.transcript import Participant, Segment, Transcript
from firmograph.conversations.types import CompetitorName

pytestmark = pytest.mark.no_database

TUESDAY = datetime(2026, 3, 3, 14, tzinfo=UTC)
SELLER, BUYER = "Ada Seller", "Ben Buyer"


def transcript(*said, language="en"):
    segments = tuple(
        Segment(speaker, text, number * 10.0, number * 10.0 + 8)
        for number, (speaker, text) in enumerate(said)
    )
    people = tuple(Participant(name) for name in dict.fromkeys(speaker for speaker, _ in said))
    return Transcript("Call", TUESDAY, len(said) * 10, segments, people, language=language)


def findings(*said, competitors=(), internal=(SELLER,), language="en"):
    return analyse(transcript(*said, language=language), competitors, internal)


def items(*said):
    return [(one.text, one.owner, one.due_date) for one in findings(*said).action_items]


def test_a_promise_is_an_action_item_of_its_speaker():
    assert items((SELLER, "Good. I'll send you the contract by Friday.")) == [
        ("I'll send you the contract by Friday.", SELLER, date(2026, 3, 6))
    ]


def test_two_promises_of_a_sentence_are_two_items():
    found = items((SELLER, "I'll send the offer tomorrow, and I'll ask our lawyer for the annex next week."))
    assert [(text, due) for text, _, due in found] == [
        ("I'll send the offer tomorrow", date(2026, 3, 4)),
        ("I'll ask our lawyer for the annex next week.", date(2026, 3, 13)),
    ]


def test_a_request_is_of_the_person_asked():
    assert items((SELLER, "Could you send me the list of depots?"), (BUYER, "Sure.")) == [
        ("Could you send me the list of depots?", BUYER, None)
    ]


def test_a_refused_request_is_no_action_item():
    assert items((SELLER, "Could you send me the list of depots?"), (BUYER, "No, I can't share that.")) == []


def test_a_person_who_is_named_has_the_task():
    found = items((SELLER, "Ben will circulate the minutes on Thursday."), (BUYER, "Fine."))
    assert found == [("Ben will circulate the minutes on Thursday.", BUYER, date(2026, 3, 5))]


@pytest.mark.parametrize(
    "text",
    [
        "Let me share my screen for a moment.",
        "I'll show you the dashboard now.",
        "Could you tell me how many people work there?",
        "We will have to see.",
        "If I could, I'd send you all of it.",
    ],
)
def test_what_is_done_in_the_call_is_no_action_item(text):
    assert items((SELLER, text), (BUYER, "Yes.")) == []


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("by friday", date(2026, 3, 6)),
        ("on tuesday", date(2026, 3, 10)),
        ("next thursday", date(2026, 3, 12)),
        ("monday of next week", date(2026, 3, 9)),
        ("tomorrow at noon", date(2026, 3, 4)),
        ("before the end of next week", date(2026, 3, 13)),
        ("before the weekend", date(2026, 3, 6)),
        ("this time next week", date(2026, 3, 10)),
        ("within two weeks", date(2026, 3, 17)),
        ("in 3 days", date(2026, 3, 6)),
        ("in a month", date(2026, 4, 3)),
        ("by the end of the month", date(2026, 3, 31)),
        ("by the end of february", date(2027, 2, 28)),
        ("by 23 march", date(2026, 3, 23)),
        ("on the 26th of april", date(2026, 4, 26)),
        ("on march 6th, 2027", date(2027, 3, 6)),
        ("by the twenty-second", date(2026, 3, 22)),
        ("on the first, as ever", date(2026, 4, 1)),
        ("2026-05-04", date(2026, 5, 4)),
        ("on the second floor", None),
        ("we may first ask", None),
        ("by the 31st of february", None),
        ("soon", None),
    ],
)
def test_a_due_date_counts_from_the_day_of_the_call(text, due):
    assert find_due_date(text, TUESDAY.date()) == due


def test_an_objection_has_the_answer_that_follows():
    (objection,) = findings(
        (BUYER, "My main concern is the price. It's far too expensive for us."),
        (SELLER, "I see."),
        (SELLER, "We can spread the fee over three years, so the first one costs less than today."),
    ).objections
    assert objection.text == "My main concern is the price. It's far too expensive for us."
    assert (
        objection.response
        == "We can spread the fee over three years, so the first one costs less than today."
    )
    assert objection.severity == "medium"


def test_an_objection_without_answer_has_none():
    (objection,) = findings((BUYER, "We can't accept these terms."), (SELLER, "Okay.")).objections
    assert objection.response is None


def test_what_the_seller_says_is_no_objection():
    assert findings((SELLER, "It's too expensive for most people."), (BUYER, "Right.")).objections == ()


def test_a_risk_that_nothing_rates_has_no_severity():
    (risk,) = findings((BUYER, "There is a hiring freeze until the summer, I'm afraid.")).risks
    assert (risk.segment, risk.severity) == (0, None)


def test_a_competitor_is_found_by_an_alias():
    (mention,) = findings(
        (BUYER, "Last year we looked at Opti Way as well."),
        competitors=[CompetitorName("Optiway", ("Opti Way",))],
    ).competitors
    assert (mention.name, mention.context) == ("Optiway", "Last year we looked at Opti Way as well.")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Our target is ten percent.", False),
        ("Target this quarter is ten percent.", False),
        ("We got an offer from Target too.", True),
        ("We know the retailer Target.", True),
    ],
)
def test_a_common_word_is_a_competitor_only_where_the_words_around_say_so(text, found):
    assert bool(findings((BUYER, text), competitors=[CompetitorName("Target")]).competitors) is found


def test_chapters_begin_where_the_words_change():
    trucks = [
        (SELLER, "The trucks need diesel and the drivers plan every route at night with the depot.")
    ] * 12
    wages = [(BUYER, "Payroll wages and taxes of each employee go through the ledger and the bank.")] * 12
    found = findings(*trucks, (SELLER, "Okay, so the next topic is payroll."), *wages)
    assert 12 in {one.segment for one in found.chapters}
    assert [one.start_seconds for one in found.chapters] == [one.segment * 10 for one in found.chapters]


@pytest.mark.parametrize(
    "said", [[], [(SELLER, "")], [(SELLER, "Hello.")], [(SELLER, "{laughter}"), (BUYER, "…")]]
)
def test_there_is_a_chapter_however_little_is_said(said):
    assert len(findings(*said).chapters) == 1


def test_a_summary_has_at_most_110_words_of_the_transcript():
    said = [
        (BUYER, f"Depot number {number} has a loading ramp that is broken since March.")
        for number in range(60)
    ]
    summary = findings(*said).summary
    assert len(summary.split()) <= 110
    assert {f"{one}." for one in summary.rstrip(".").split(". ")} <= {text for _, text in said}


def test_a_quote_loses_fillers_but_no_word_that_says_something():
    assert quote("so um i mean we we could uh send it, it's ready") == "We could send it, it's ready"


def test_another_language_has_figures_and_chapters_but_nothing_invented():
    found = findings(
        *[
            (SELLER, "Ich schicke Ihnen das Angebot bis Freitag."),
            (BUYER, "Das ist uns zu teuer, kein Budget."),
        ]
        * 9,
        language=None,
    )
    assert (found.action_items, found.risks, found.objections, found.topics, found.coaching) == (
        (),
        (),
        (),
        (),
        None,
    )
    assert found.chapters
    assert found.speakers


def test_speakers_have_share_monologue_questions_and_pace():
    ada, ben = findings(
        (SELLER, "One two three four?"), (SELLER, "Five six seven eight."), (BUYER, "Nine ten.")
    ).speakers
    assert (ada.talk_share, ada.questions, ada.is_internal, ben.is_internal) == (0.8, 1, True, False)
    assert (ada.longest_monologue_seconds, ada.words_per_minute) == (18.0, 30.0)


def test_coaching_rates_a_call_with_agenda_questions_and_next_steps_higher():
    poor = findings((SELLER, "We sell software and it is great."), (BUYER, "Hm, I see, thanks for that."))
    good = findings(
        (SELLER, "In the next thirty minutes I'd like to learn how you work. Is that okay?"),
        (BUYER, "Yes, of course, go ahead please."),
        (SELLER, "How do you plan routes at the moment? Who else is part of the decision?"),
        (BUYER, "By hand, and our director signs whatever we want to have."),
        (SELLER, "Let me suggest a next step. I'll send you an offer by Friday."),
    )
    assert 0 <= poor.coaching.overall_score < good.coaching.overall_score <= 100
    assert "learn how you work" in good.coaching.opening.what_happened
    assert "budget" not in good.coaching.qualification.what_happened
    assert "money is set aside" in good.coaching.qualification.improve


def test_there_is_no_coaching_where_the_sellers_side_is_not_known():
    assert findings((SELLER, "How do you plan routes today?"), internal=()).coaching is None
