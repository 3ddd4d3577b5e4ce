"""Ranks of titles at one company (docs/reference/signals.md#job-moves)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.signals.job_moves.title_forms import comparison_form
from firmograph.signals.job_moves.title_ranks import ranks_higher

pytestmark = pytest.mark.no_database

LADDERS = [
    [
        "Intern",
        "Engineer",
        "Senior Engineer",
        "Staff Engineer",
        "Principal Engineer",
        "Director of Engineering",
        "CTO",
    ],
    ["Engineer I", "Engineer II", "Engineer III"],
    ["Analyst L3", "Analyst L4"],
    ["Junior Analyst", "Associate Analyst", "Analyst", "Lead Analyst"],
    [
        "Sales Supervisor",
        "Assistant Sales Manager",
        "Sales Manager",
        "Senior Sales Manager",
        "Sales Director",
    ],
    ["Associate Director", "Director", "Senior Director", "Executive Director"],
    ["Director", "Assistant Vice President", "Vice President", "SVP", "EVP", "President"],
    ["Regional Sales Manager", "National Sales Manager", "Global Sales Manager"],
    ["Assistant Professor", "Associate Professor", "Full Professor", "Dean"],
    [
        "State Representative, district 12",
        "State Senator, district 4",
        "Secretary of State",
        "Lieutenant Governor",
        "Governor",
    ],
    ["Investment Banking Analyst", "Investment Banking Associate", "Vice President, Investment Banking"],
    ["CFO", "President", "President & CEO"],
    ["Account Executive", "Senior Account Executive"],
    ["Project Coordinator", "Project Manager"],
    ["Controller", "Interim CFO"],
    ["Abteilungsleiter", "Bereichsleiter"],
]
STEPS = [(low, high) for ladder in LADDERS for low, high in pairwise(ladder)]

THE_SAME = [
    ("Sr. Engineer", "Senior Engineer"),
    ("VP Sales", "Vice President of Sales"),
    ("Sales, Vice President", "Vice President, Sales"),
    ("CTO", "Chief Technology Officer"),
    ("C.E.O.", "CEO"),
    ("Engineer 2", "Engineer II"),
    ("SDE2", "Software Development Engineer II"),
    ("Sales Manger", "Sales Manager"),
    ("Seinor Analyst", "Senior Analyst"),
    ("Software Engineer", "SOFTWARE  ENGINEER (remote)"),
    ("Frontend Developer", "Front-End Developer"),
    ("Leiter Marketing", "Head of Marketing"),
    ("Directeur commercial", "Sales Director"),
    ("Directrice des ventes", "Directeur des ventes"),
    ("Founder & CEO", "CEO and Co-Founder"),
    ("CEO", "Founder & CEO"),
    ("Interim CFO", "CFO"),
    ("State Senator, district 3", "State Senator, district 5"),
    ("Store Manager, Store 2", "Store Manager, Store 7"),
]
SIDEWAYS = [
    ("Account Executive", "Account Manager"),
    ("Software Engineer", "Product Manager"),
    ("Staff Engineer", "Engineering Manager"),
    ("Sales Manager", "Marketing Manager"),
    ("Specialist", "Lead Generation Specialist"),
    ("Support Engineer", "Head Office Support Engineer"),
    ("Assistant to the Director", "Assistant to the President"),
    ("CFO", "COO"),
    ("Junior Nurse", "Accountant"),
    ("Special Assistant", "Support Assistant, Bureau of Health"),
    ("Student", "Retired"),
    ("", "Director"),
    ("Director", ""),
]


@pytest.mark.parametrize(("low", "high"), STEPS)
def test_one_rank_up_is_a_rise_and_one_down_is_none(low, high):
    assert ranks_higher(low, high)
    assert not ranks_higher(high, low)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder[0])
def test_several_ranks_up_are_a_rise(ladder):
    assert ranks_higher(ladder[0], ladder[-1])


@pytest.mark.parametrize(("one", "other"), THE_SAME + SIDEWAYS)
def test_a_synonym_or_a_sideways_step_is_no_rise(one, other):
    assert not ranks_higher(one, other)
    assert not ranks_higher(other, one)


@pytest.mark.parametrize(("one", "other"), THE_SAME[:7])
def test_spellings_of_a_title_have_one_form(one, other):
    assert comparison_form(one) == comparison_form(other)


WORDS = "senior junior sr. vice president VP director manager of sales engineer II 3 assistant CEO & founder , leiter"
titles = st.lists(st.sampled_from(WORDS.split()), max_size=5).map(" ".join) | st.text(max_size=20)


@given(titles, titles)
def test_no_two_titles_rank_above_each_other(one, other):
    assert not (ranks_higher(one, other) and ranks_higher(other, one))


@given(titles)
def test_no_title_ranks_above_itself(title):
    assert not ranks_higher(title, title.upper() if title.isascii() else title)
