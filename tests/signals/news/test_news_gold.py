"""Lower bounds of the measured quality; see `evaluation/news/results.md`."""

import pytest
from evaluation.news.events import classified, in_all
from evaluation.news.filings import checked
from evaluation.news.gold import purchases, synthetic

from firmograph.directory.company_names import company_key
from firmograph.signals.news.rules import read_article

pytestmark = pytest.mark.no_database


@pytest.fixture(scope="module")
def reads():
    """Return the synthetic items as the classifier reads them."""
    return classified(synthetic())


def test_precision_and_recall_of_the_synthetic_items_stay_above_their_bounds(reads):
    figures = in_all(reads)
    assert figures.precision is not None
    assert figures.precision > 0.95
    assert figures.recall is not None
    assert figures.recall > 0.7


def test_items_without_an_event_get_none(reads):
    without = [one for one in reads if not one.item.events | one.item.either]
    assert len(without) >= 50
    assert sum(bool(one.events) for one in without) <= 3


def test_most_companies_of_real_acquisitions_are_found_in_their_headlines():
    found = [
        company_key(name) in {company_key(one) for mention in article.mentions for one in mention.readings}
        for purchase in purchases()
        for article in [read_article(purchase.headline, "")]
        for name in (purchase.acquirer, purchase.target)
    ]
    assert sum(found) > 0.9 * len(found)


def test_every_checked_filing_is_counted():
    assert sum(one.right + one.wrong + one.open for one in checked().values()) == 100
