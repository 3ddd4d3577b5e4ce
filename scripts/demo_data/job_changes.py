"""Dated changes of employer of public maintainers, as versions of their records."""

from collections.abc import Iterator
from datetime import date, timedelta

from demo_data.companies import Companies
from demo_data.employers import named_employer
from demo_data.files import OpenData, Row


def job_changes(data: OpenData, companies: Companies) -> Iterator[Row]:
    """Return two versions for each change, before and after, if the source names both employers; the oldest first."""
    for given in sorted(
        data.table("signals/oss_maintainer_employer_changes.csv.gz"), key=lambda row: row["date"]
    ):
        before = named_employer(given["previous_company"], companies)
        after = named_employer(given["current_company"], companies)
        if not (given["github"] and given["name"] and before and after):
            continue
        day = date.fromisoformat(given["date"])
        for employer, at in ((before, day - timedelta(days=1)), (after, day)):
            yield {
                "sourceId": f"maintainer:{given['github'].casefold()}",
                "fullName": given["name"],
                "jobTitle": f"Project Maintainer, {given['project']}",
                "company": employer,
                "updateDate": at.isoformat(),
            }
