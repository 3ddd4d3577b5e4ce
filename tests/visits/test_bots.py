"""Bots among the visitors."""

import pytest

from firmograph.visits.bots import is_bot

pytestmark = pytest.mark.no_database

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
)


@pytest.mark.parametrize(
    "agent",
    [
        CHROME,
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/17.5 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0",
    ],
)
def test_browsers_are_no_bots(agent):
    assert not is_bot(agent)


@pytest.mark.parametrize(
    "agent",
    [
        None,
        "",
        " ",
        "-",
        "curl/8.7.1",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        CHROME.replace("Chrome/", "HeadlessChrome/"),
    ],
)
def test_crawlers_tools_and_absent_agents_are_bots(agent):
    assert is_bot(agent)
