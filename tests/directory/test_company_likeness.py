import random

import pytest

from firmograph.directory.likeness.choice import find_alike
from firmograph.directory.likeness.name_index import NameIndex
from firmograph.directory.likeness.spellings import name_form

pytestmark = pytest.mark.no_database

HELD = {
    1: ("Acme International Holdings Ltd", "GB"),
    2: ("Boston Scientific Japan K.K. (Japan)", "JP"),
    3: ("Leonardo (United States)", "US"),
    4: ("Example Chemie", "NL"),
    5: ("Quarry Growth Fund II", "US"),
    6: ("Aluminium Fibre Works", "GB"),
    7: ("Rostelekom", "RU"),
    8: ("First National Bank", "US"),
    9: ("Verkehrsunfallforschung Dresden GmbH", "DE"),
    10: ("Twin Peaks Inc", "US"),
    11: ("Twin Peaks (Canada)", "CA"),
    12: ("Grault (Japan)", "JP"),
    13: ("Grault Pharma (Austria)", "AT"),
    **{number: (f"National Bank {number}", "US") for number in range(100, 130)},
    **{number: (f"First Street {number}", "US") for number in range(130, 160)},
}


def make_index(order=None):
    index = NameIndex()
    for number in order or HELD:
        name, country = HELD[number]
        index.put(number, [name_form(name)], country)
    return index


@pytest.fixture(scope="module")
def index():
    return make_index()


def find(index, name):
    return find_alike(index, name, 0.94, 0.05).answer


@pytest.mark.parametrize(
    ("name", "words", "country"),
    [
        ("Acme Intl Hldgs", "acme international holdings", ""),
        ("Smith & Sons Mfg Co.", "smith sons manufacturing", ""),
        ("EXAMPLE CHEMIE N.V., ARNHEM, NL", "example chemie", "NL"),
        ("Acme GmbH, Berlin", "acme", ""),
        ("Acme Inc., San Jose, CA", "acme", ""),
        ("Acme, Inc.", "acme", ""),
        ("Smith, Jones, Brown LLP", "smith jones brown", ""),
        ("Leonardo (Italy)", "leonardo", "IT"),
        ("First Harbour Centre", "1st harbor center", ""),
        ("Ростелеком ПАО", "rostelekom", ""),
        ("---", "", ""),
    ],
)
def test_a_name_is_compared_by_words_of_one_spelling(name, words, country):
    form = name_form(name)
    assert (form.text, form.country) == (words, country)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Acme Intl Hldgs", 1),
        ("Boston Scientific Japan", 2),
        ("Boston Scientific", 2),
        ("Leonardo", 3),
        ("EXAMPLE CHEMIE N.V., ARNHEM, NL", 4),
        ("Aluminum Fiber Wks", 6),
        ("Ростелеком", 7),
        ("Verkehrsunfalforschung Dresden", 9),
    ],
)
def test_a_company_is_found_by_a_name_alike(index, name, number):
    assert find(index, name) == number


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Leonardo (Italy)", "the name asked for says IT, the company is in US"),
        ("Quarry Growth Fund III", "only one of the names has iii, ii"),
        ("Acme International", "below the threshold of 0.94"),
        ("Bank, National First", "the names have only common words in common"),
        ("Twin Peaks", "another company's name is as much alike"),
        ("Grault Inc", "another company's name has the same words and at most one more"),
    ],
)
def test_a_company_is_refused_for_a_reason(index, name, why):
    found = find_alike(index, name, 0.94, 0.05)
    assert found.answer is None
    assert found.candidates[0].refusal == why


def test_a_name_without_words_finds_nobody(index):
    assert find_alike(index, "...", 0.94, 0.05) == (None, [])


def test_a_company_known_from_other_records_alone_comes_after_the_others():
    index = NameIndex()
    index.put(1, [name_form("Zorblatt Hldgs")], is_stub=True)
    assert find(index, "Zorblatt Holding") == 1
    index.put(2, [name_form("Zorblatt Holdings GmbH (Germany)")])
    assert find(index, "Zorblatt Holding") == 2


def test_answers_depend_on_the_held_names_alone(index):
    order = list(HELD)
    random.Random(7).shuffle(order)
    other = make_index(order)
    for number in order[::2]:
        other.remove(number)
        assert find(other, f"nobody {number}") is None
    for number in order[::2]:
        name, country = HELD[number]
        other.put(number, [name_form(name)], country)
    for name, _ in HELD.values():
        for asked in (name, f"{name} Group", name[:-1]):
            assert find_alike(other, asked, 0.94, 0.05) == find_alike(index, asked, 0.94, 0.05)


def test_a_forgotten_company_leaves_nothing():
    index = make_index()
    for number in HELD:
        index.remove(number)
    assert len(index) == 0
    assert find(index, "Leonardo") is None
