"""Texts around the tables of buying groups in the document."""

from bench.buying_groups_report import BuyingGroupsReport
from bench.report import Report

_CALLS = """Last run: {day}, with {contacts:,} generated contacts at {companies:,} companies.

{machine}

The first page of 100 contacts over HTTP, with at most 1,000 contacts a company, one caller: {calls} calls, for all
roles, one role and two roles in turn, each charged for the contacts on the page. Every contact of a company is ranked
in each call. The server runs on one core, the client on the other."""


def buying_groups_prose(title: str, report: Report, measured: BuyingGroupsReport, machine: str) -> str:
    return _CALLS.format(
        day=report.day,
        contacts=measured.contacts,
        companies=measured.companies,
        machine=machine,
        calls=measured.calls[0].waits.calls,
    )
