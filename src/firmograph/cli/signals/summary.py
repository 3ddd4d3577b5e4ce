"""One-line summaries of signals."""

from typing import Any

from firmograph.signals.types import BY_DEPARTMENT, BY_LOCATION, NEWS_EVENTS, POSTS

_MONTHS = {"1m": "1 month", "3m": "3 months", "6m": "6 months", "12m": "12 months"}

Event = dict[str, Any]


def summarise(type: str, event: Event) -> str:
    """Return the summary of a stored event."""
    if type in ("companyChange", "promotion"):
        return _move(type, event)
    if type == POSTS:
        topics = ", ".join(topic["topic"] for topic in event["intentTopics"])
        return f"{event['author']['fullName']}: {topics or event['signalCategory']}"
    if type in NEWS_EVENTS:
        return f"{event['eventType']}: {event['articleTitle']}"
    return f"{_figures(type, event)} ({event['changeRatePercent']:+,} %)"


def _move(type: str, event: Event) -> str:
    if type == "promotion":
        return f"{event['previousTitle']} → {event['currentTitle']} at {event['currentCompanyName']}"
    before = " at ".join(filter(None, (event["previousTitle"], event["previousCompanyName"])))
    now = " at ".join(filter(None, (event["currentTitle"], event["currentCompanyName"])))
    return f"{before} → {now}"


def _figures(type: str, event: Event) -> str:
    if type.startswith("headcount"):
        period = _MONTHS[type.removeprefix("headcountIncrease").removeprefix("headcountDecrease")]
        old, new = event["baselineEmployeesCount"], event["newEmployeesCount"]
        return f"{old:,} → {new:,} people in {period}"
    if type.startswith("websiteTraffic"):
        return f"{event['lastMonthVisits']:,} visits, {event['historicalAvg']:,} on average"
    if type.startswith("itSpend"):
        return f"${event['estimatedAnnualItSpend']:,} a year"
    return _hiring(type, event)


def _hiring(type: str, event: Event) -> str:
    usual = f"{event['historicalAvg']:,} on average"
    if type == BY_DEPARTMENT:
        return f"{event['department']}: {event['newJobsPostedLast4Weeks']:,} new jobs in 4 weeks, {usual}"
    if type == BY_LOCATION:
        place = ", ".join(filter(None, (event["state"], event["country"])))
        return f"{place}: {event['newJobsPostedLast4Weeks']:,} new jobs in 4 weeks, {usual}"
    return f"{event['newJobsPostedLastWeek']:,} new jobs in a week, {usual}"
