import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmograph.directory.industries import MAIN_INDUSTRIES, SUB_INDUSTRIES, normalise_industry

pytestmark = pytest.mark.no_database

TECHNOLOGY = "Technology, Information & Media"
ALL_SUBS = [(main.name, sub.name) for main in MAIN_INDUSTRIES for sub in main.subs]


def test_the_taxonomy_has_17_main_and_134_sub_industries_with_their_ids():
    assert [main.id for main in MAIN_INDUSTRIES] == [1, 3, *range(5, 20)]
    assert len(SUB_INDUSTRIES) == 134
    assert SUB_INDUSTRIES[129] == (TECHNOLOGY, "Software Development")
    assert SUB_INDUSTRIES[797] == ("Finance", "Other")


@pytest.mark.parametrize(("main", "sub"), ALL_SUBS)
def test_the_taxonomys_own_labels_map_to_themselves(main, sub):
    assert normalise_industry(main, sub) == (main, sub)
    assert normalise_industry(main)[0] == main
    if sub != "Other":
        assert normalise_industry(sub) == (main, sub)


@pytest.mark.parametrize(
    ("label", "main", "sub"),
    [
        ("Computer Software", TECHNOLOGY, "Software Development"),
        ("Hospital & Health Care", "Healthcare", "Hospitals & Clinics"),
        ("hospital and health care", "Healthcare", "Hospitals & Clinics"),
        ("Oil, Gas & Consumable Fuels", "Oil, Gas & Mining", "Oil & Gas"),
        ("Equity Real Estate Investment Trusts (REITs)", "Real Estate", None),
        ("Banks", "Finance", "Banking"),
        ("Credit Intermediation and Related Activities", "Finance", "Financial Services"),
        ("Depository Institutions", "Finance", "Banking"),
        ("Technology > Software", TECHNOLOGY, "Software Development"),
        ("B2B Software and Services", TECHNOLOGY, "Software Development"),
        ("Commercial property insurance", "Finance", "Insurance"),
        ("Manufacturing", "Manufacturing", None),
    ],
)
def test_labels_of_other_taxonomies_are_mapped(label, main, sub):
    assert normalise_industry(label) == (main, sub)


@pytest.mark.parametrize("label", [None, "", "  ", "Industrials", "Lorem ipsum", "Other", "123"])
def test_an_unknown_label_stays_unmapped(label):
    assert normalise_industry(label) == (None, None)


def test_a_known_sub_label_decides():
    assert normalise_industry("Consumer Staples", "Household Products") == (
        "Manufacturing",
        "Personal Care Products",
    )
    assert normalise_industry("Information Technology", "Software") == (TECHNOLOGY, "Software Development")


def test_a_word_rule_never_overrules_a_label_that_names_another_main_industry():
    assert normalise_industry("Healthcare", "Hospital software vendors of the region") == ("Healthcare", None)


def test_an_unknown_sub_label_leaves_the_label_unchanged():
    assert normalise_industry("Banking", "Purple things") == ("Finance", "Banking")


@given(st.text(max_size=60), st.none() | st.text(max_size=60))
def test_every_answer_belongs_to_the_taxonomy(label, sub_label):
    main, sub = normalise_industry(label, sub_label)
    assert sub is None or (main, sub) in ALL_SUBS
    assert main is None or main in {industry.name for industry in MAIN_INDUSTRIES}
