"""Figures of a company that answers contain only when revealed."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from firmograph.directory.normalise.locations import normalise_location
from firmograph.directory.records import (
    DepartmentCount,
    ItSpend,
    LocationCount,
    OpenJobs,
    SeniorityCount,
    Traffic,
)
from firmograph.directory.titles.spellings import normalise_department, normalise_seniority
from firmograph.ingest.reading.inputs import (
    CompanyInput,
    DepartmentCountInput,
    IntentInput,
    ItSpendInput,
    LocationCountInput,
    OpenJobsInput,
    SeniorityCountInput,
    TopicInput,
    TrafficInput,
)
from firmograph.ingest.records.locations import place
from firmograph.ingest.records.row_notes import Notes
from firmograph.ingest.records.values import amount, code, label, line, number, unique, whole


class Figures(NamedTuple):
    employees_by_department: list[DepartmentCount]
    employees_by_location: list[LocationCount]
    employees_by_seniority: list[SeniorityCount]
    intent: dict[str, Any] | None
    estimated_annual_it_spend: ItSpend | None
    monthly_website_traffic: Traffic | None
    open_jobs: OpenJobs | None


_NONE = Figures([], [], [], None, None, None, None)


def normalise_figures(row: CompanyInput, notes: Notes) -> Figures:
    given = (
        row.employees_by_department,
        row.employees_by_location,
        row.employees_by_seniority,
        row.intent,
        row.estimated_annual_it_spend,
        row.monthly_website_traffic,
        row.open_jobs,
    )
    if not any(given):
        return _NONE
    return Figures(
        _by_department("employeesByDepartment", row.employees_by_department or (), notes),
        _by_location("employeesByLocation", row.employees_by_location or (), notes),
        _by_seniority("employeesBySeniority", row.employees_by_seniority or (), notes),
        _intent(row.intent) if row.intent else None,
        _it_spend(row.estimated_annual_it_spend, notes) if row.estimated_annual_it_spend else None,
        _traffic(row.monthly_website_traffic, notes) if row.monthly_website_traffic else None,
        _open_jobs(row.open_jobs, notes) if row.open_jobs else None,
    )


def _by_department(path: str, values: Iterable[DepartmentCountInput], notes: Notes) -> list[DepartmentCount]:
    """Return counts by standard department (docs/reference/filters.md#fixed-values), else by the name as written."""
    found = (
        DepartmentCount(department=normalise_department(name) or name, count=count)
        for one in values
        if (name := label(one.department))
        and (count := notes.read(f"{path}.count", one.count, whole)) is not None
    )
    return unique(found, lambda one: one.department)


def _by_seniority(path: str, values: Iterable[SeniorityCountInput], notes: Notes) -> list[SeniorityCount]:
    found = (
        SeniorityCount(seniority=normalise_seniority(name) or name, count=count)
        for one in values
        if (name := code(one.seniority))
        and (count := notes.read(f"{path}.count", one.count, whole)) is not None
    )
    return unique(found, lambda one: one.seniority)


def _by_location(path: str, values: Iterable[LocationCountInput], notes: Notes) -> list[LocationCount]:
    return unique((_location_count(path, one, notes) for one in values), lambda one: (one.country, one.state))


def _location_count(path: str, value: LocationCountInput, notes: Notes) -> LocationCount | None:
    where = normalise_location(place(value.country), None, place(value.state), None, None, None, None, None)
    count = notes.read(f"{path}.count", value.count, whole)
    if where is None or not where.country or count is None:
        return None
    return LocationCount(country=where.country, state=where.state, count=count)


def _open_jobs(value: OpenJobsInput, notes: Notes) -> OpenJobs | None:
    found = OpenJobs(
        total=notes.read("openJobs.total", value.total, whole),
        by_department=_by_department("openJobs.byDepartment", value.by_department or (), notes),
        by_location=_by_location("openJobs.byLocation", value.by_location or (), notes),
        by_seniority=_by_seniority("openJobs.bySeniority", value.by_seniority or (), notes),
    )
    return found if found != OpenJobs() else None


def _it_spend(value: ItSpendInput, notes: Notes) -> ItSpend | None:
    spent = notes.read("estimatedAnnualItSpend.value", value.value, amount)
    if spent is None:
        return None
    currency = (line(value.currency, 3) or "USD").upper()
    in_dollars = notes.read("estimatedAnnualItSpend.valueUsd", value.value_usd, amount)
    if in_dollars is None and currency == "USD":
        in_dollars = spent
    return ItSpend(value=spent, currency=currency, value_usd=in_dollars)


def _traffic(value: TrafficInput, notes: Notes) -> Traffic | None:
    visits = notes.read("monthlyWebsiteTraffic.visits", value.visits, amount)
    if visits is None:
        return None
    month = notes.day("monthlyWebsiteTraffic.month", value.month)
    return Traffic(
        visits=visits, mom_change_percent=number(value.mom_change_percent), month=month[:7] if month else None
    )


def _intent(value: IntentInput) -> dict[str, Any] | None:
    """Return topics with a score, in the layout of `intent` (docs/reference/lookups.md#enriched-company)."""
    topics = unique(
        map(_topic, value.detected_topics or ()), lambda topic: str(topic["topicName"]).casefold()
    )
    if not topics:
        return None
    return {"detectedTopics": topics, "topicCount": max(whole(value.topic_count) or 0, len(topics))}


def _topic(value: TopicInput) -> dict[str, Any] | None:
    name = label(value.topic_name)
    if not name:
        return None
    given = value.metadata
    score = number(given.topic_score) if given else None
    trend = code(given.topic_trend, 20) if given else None
    if score is not None and score.is_integer():
        score = int(score)
    metadata = {"topicScore": score, "topicTrend": trend}
    return {"topicName": name, "metadata": {key: one for key, one in metadata.items() if one is not None}}
