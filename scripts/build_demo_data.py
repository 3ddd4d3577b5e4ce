"""Build the demo data from a folder of open data: `build_demo_data.py FOLDER [OUTPUT]`.

Writes `companies.jsonl.gz`, `contacts.jsonl.gz`, the dated facts of `signals/`, `visits.log.gz`,
`made-up-networks.csv` and `NOTICE` into OUTPUT (default `demo/`). The same input gives the same bytes. Only sources
that `demo_data/notice.py` names with their licence are read.
"""

import sys
from pathlib import Path

from demo_data import articles, job_changes, made_up_facts, postings
from demo_data.additions import add_members, add_recruiting_systems, add_social_links, add_technologies
from demo_data.companies import Companies
from demo_data.files import OpenData, write_rows
from demo_data.listed import add_listed
from demo_data.made_up import made_up_companies, made_up_contacts
from demo_data.maintainers import maintainers
from demo_data.notice import notice
from demo_data.officials import officials
from demo_data.organisations import add_organisations
from demo_data.startups import add_startups
from demo_data.visits import made_up_networks, visit_log, write_packed

MAX_BYTES = 6_000_000
"""All files together, as the project promises."""


def _write_signals(data: OpenData, companies: Companies, output: Path) -> None:
    output.mkdir(exist_ok=True)
    write_rows(
        output / "job-changes.jsonl.gz", job_changes.job_changes(data, companies), "sourceId", "updateDate"
    )
    write_rows(output / "jobs.jsonl.gz", postings.postings(data, companies), "openDate", "postingId")
    write_rows(output / "news.jsonl.gz", articles.articles(data, companies), "date", "url", "title")
    write_rows(output / "made-up-headcounts.jsonl.gz", made_up_facts.headcounts(), "company", "date")
    write_rows(output / "made-up-traffic.jsonl.gz", made_up_facts.traffic(), "company", "month")
    write_rows(output / "made-up-it-spend.jsonl.gz", made_up_facts.it_spend(), "company", "date")
    write_rows(output / "made-up-jobs.jsonl.gz", made_up_facts.postings(), "postingId")
    write_rows(output / "made-up-news.jsonl.gz", made_up_facts.articles(), "date", "url")
    write_rows(output / "made-up-posts.jsonl.gz", made_up_facts.posts(), "date", "url")


def build(folder: Path, output: Path) -> tuple[int, int]:
    """Build everything; return the counts of companies and contacts."""
    data = OpenData(folder)
    companies = Companies()
    # listed companies come first: if two sources have one host, the first one's values are kept
    add_listed(data, companies)
    add_startups(data, companies)
    add_members(data, companies)
    add_organisations(data, companies)
    contacts = [*officials(data, companies), *maintainers(data, companies), *made_up_contacts()]
    add_technologies(data, companies)
    add_recruiting_systems(data, companies)
    add_social_links(data, companies)
    for row in made_up_companies():
        companies.add(row)
    output.mkdir(parents=True, exist_ok=True)
    counts = (
        write_rows(output / "companies.jsonl.gz", companies),
        write_rows(output / "contacts.jsonl.gz", contacts),
    )
    _write_signals(data, companies, output / "signals")
    write_packed(output / "visits.log.gz", visit_log(data))
    (output / "made-up-networks.csv").write_text(made_up_networks(), encoding="utf-8")
    (output / "NOTICE").write_text(notice(data.used), encoding="utf-8")
    return counts


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("Usage: build_demo_data.py FOLDER [OUTPUT]")
    output = Path(sys.argv[2] if len(sys.argv) == 3 else "demo")
    companies, contacts = build(Path(sys.argv[1]), output)
    size = sum(path.stat().st_size for path in output.rglob("*.gz"))
    print(f"{companies:,} companies, {contacts:,} contacts, {size:,} bytes")
    if size > MAX_BYTES:
        sys.exit(f"The demo data must stay within {MAX_BYTES:,} bytes: leave something out")


if __name__ == "__main__":
    main()
