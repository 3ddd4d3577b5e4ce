import pytest

from firmograph.security.record_ids import Entity
from firmograph.signal_score.rules import StoredFacts, company_kinds, contact_kinds, kind_of, score

pytestmark = pytest.mark.no_database

EVERYTHING = StoredFacts({"headcounts", "traffic", "it-spend"}, True, True)
HEADCOUNTS = {f"headcount{period}" for period in ("1m", "3m", "6m", "12m")}
NEWS = {
    "riskNews",
    "commercialActivityNews",
    "corporateStrategyNews",
    "financialEventsNews",
    "peopleNews",
    "marketIntelligenceNews",
    "productActivityNews",
}


def test_growth_and_decline_of_one_measure_over_one_period_are_one_kind():
    assert kind_of("headcountIncrease3m") == kind_of("headcountDecrease3m") != kind_of("headcountIncrease6m")
    assert kind_of("websiteTrafficIncrease") == kind_of("websiteTrafficDecrease")


@pytest.mark.parametrize(
    ("existing", "feeds", "kinds"),
    [
        (StoredFacts(), (), set()),
        (StoredFacts({"headcounts"}), (), HEADCOUNTS),
        (StoredFacts({"traffic"}), (), {"websiteTraffic"}),
        (StoredFacts({"it-spend"}), (), {"itSpend"}),
        (StoredFacts(postings=True), (), {"surgeInHiring", "surgeInHiringByDepartment"}),
        (
            StoredFacts(postings=True, located_postings=True),
            (),
            {"surgeInHiring", "surgeInHiringByDepartment", "surgeInHiringByLocation"},
        ),
        (StoredFacts(), {"news"}, NEWS),
        (StoredFacts(), {"posts"}, {"linkedinActivityIntent"}),
        (StoredFacts(), {"headcounts", "jobs", "traffic", "it-spend"}, set()),
    ],
)
def test_a_kind_applies_to_a_company_whose_input_exists(existing, feeds, kinds):
    assert company_kinds(existing, feeds) == kinds


def test_seventeen_kinds_apply_to_a_company_with_all_inputs():
    assert len(company_kinds(EVERYTHING, {"news", "posts"})) == 17


def test_moves_apply_to_contacts_with_a_company_and_promotions_to_those_with_a_title():
    assert contact_kinds(has_company=True, has_title=False) == {"companyChange"}
    assert contact_kinds(has_company=False, has_title=True) == {"promotion"}
    assert contact_kinds(has_company=False, has_title=False) == set()


def test_the_score_is_the_share_of_active_kinds():
    kinds = company_kinds(EVERYTHING, {"news", "posts"})
    newest = {"surgeInHiring": "2026-09-06", "headcountIncrease3m": "2026-08-31", "riskNews": "2026-01-01"}
    found = score(Entity.COMPANY, kinds, newest, "2026-06-01")
    assert found == (2 / 17, ["surgeInHiring", "headcountIncrease3m"])


def test_a_signal_dated_on_the_first_day_of_the_window_is_active_and_one_of_the_day_before_is_not():
    assert score(Entity.CONTACT, {"promotion"}, {"promotion": "2026-06-01"}, "2026-06-01") == (
        1.0,
        ["promotion"],
    )
    assert score(Entity.CONTACT, {"promotion"}, {"promotion": "2026-05-31"}, "2026-06-01") == (0.0, [])


def test_growth_and_decline_that_are_both_active_count_once_and_are_both_shown():
    newest = {"itSpendIncrease": "2026-08-01", "itSpendDecrease": "2026-07-01"}
    found = score(Entity.COMPANY, {"itSpend", "websiteTraffic"}, newest, "2026-06-01")
    assert found == (0.5, ["itSpendIncrease", "itSpendDecrease"])


def test_a_signal_whose_input_was_deleted_still_shows_that_its_kind_applies():
    assert score(Entity.COMPANY, (), {"riskNews": "2026-08-01"}, "2026-06-01") == (1.0, ["riskNews"])


def test_without_an_applicable_kind_there_is_no_score():
    assert score(Entity.COMPANY, (), {}, "2026-06-01") is None
