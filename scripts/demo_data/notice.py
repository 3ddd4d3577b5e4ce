"""The NOTICE of the demo data: every source that was read, its licence and its attribution."""

from collections.abc import Set
from pathlib import Path

_HEAD = """\
The files companies.jsonl.gz, contacts.jsonl.gz and visits.log.gz of this folder, and those of signals/, are made of
the following open data. They were selected, joined, normalised and shortened by scripts/build_demo_data.py; that is a
change in the sense of the licences. What stands under "made-up:" in them does not exist, nor does anything in the files
signals/made-up-* and made-up-networks.csv. No source endorses this project.

"""

SOURCES = {
    "companies/financedatabase_companies.csv.gz": (
        "FinanceDatabase, by Jeroen Bouma", "https://github.com/JerBouma/FinanceDatabase",
        "MIT License, Copyright (c) Jeroen Bouma", "listed companies: name, domain, place, sector, symbols"),
    "companies/sp500_constituents.csv.gz": (
        "S&P 500 Companies, by Data Packaged Core Datasets", "https://github.com/datasets/s-and-p-500-companies",
        "ODC Public Domain Dedication and Licence (PDDL) 1.0", "industry, founding year, place"),
    "companies/sec_company_headers_30.jsonl.gz": (
        "U.S. Securities and Exchange Commission, EDGAR submissions", "https://www.sec.gov/edgar",
        "public domain (work of the United States government)", "SIC code, address, switchboard, former names"),
    "companies/sec_cik_ticker_exchange.csv.gz": (
        "SEC CIK Mapper, by Jad Chaar", "https://github.com/jadchaar/sec-cik-mapper",
        "MIT License, Copyright (c) Jad Chaar; the SEC's data are public domain", "ticker by filer"),
    "companies/sec_exhibit21_subsidiaries_gold.csv.gz": (
        "Mozilla SEC EIA, by Catalyst Cooperative", "https://github.com/catalyst-cooperative/mozilla-sec-eia",
        "MIT License, Copyright (c) Catalyst Cooperative; the filings are public", "subsidiaries"),
    "companies/ror_organizations.csv.gz": (
        "Research Organization Registry (ROR)", "https://ror.org", "CC0 1.0", "research organisations"),
    "companies/ror_relationships.csv.gz": (
        "Research Organization Registry (ROR)", "https://ror.org", "CC0 1.0", "which organisation owns which"),
    "companies/yc_companies_2024-05-11.csv.gz": (
        "YC Scraper, by corralm", "https://github.com/corralm/yc-scraper",
        "MIT License, Copyright (c) corralm", "startups: name, domain, LinkedIn page, size, tags, place, year"),
    "companies/brands_social_links.csv.gz": (
        "Name Suggestion Index, by its contributors; values from Wikidata (CC0 1.0)",
        "https://github.com/osmlab/name-suggestion-index", "BSD 3-Clause License", "social links"),
    "companies/cncf_landscape_items.csv.gz": (
        "CNCF Cloud Native Landscape, by the Cloud Native Computing Foundation", "https://github.com/cncf/landscape",
        "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/); changed as said above",
        "members' names, domains and X links"),
    "companies/technology_adopters.csv.gz": (
        "Adopters files of Argo CD, Argo Workflows, Argo Rollouts, Crossplane, Kyverno, Falco, Jaeger, Linkerd, "
        "Strimzi, Thanos and External Secrets, by their projects' authors",
        "https://github.com/argoproj/argo-cd and the like",
        "Apache License 2.0", "technologies that companies say they use"),
    "companies/ats_job_board_companies.csv.gz": (
        "Jobs, by Stapply AI", "https://github.com/stapply-ai/jobs", "MIT License, Copyright (c) Stapply AI",
        "recruiting systems"),
    "companies/us_gov_domains.csv.gz": (
        ".gov domains, by the Cybersecurity and Infrastructure Security Agency", "https://github.com/cisagov/dotgov-data",
        "CC0 1.0", "domains of states and cities"),
    "people/us_state_officials_current.jsonl.gz": (
        "Open States people", "https://github.com/openstates/people", "CC0 1.0",
        "state and city officials with their official contact data"),
    "people/us_congress_current.jsonl.gz": (
        "congress-legislators, by the @unitedstates project", "https://github.com/unitedstates/congress-legislators",
        "CC0 1.0", "members of Congress"),
    "people/oss_project_maintainers.csv.gz": (
        "CNCF project maintainers, by the Cloud Native Computing Foundation", "https://github.com/cncf/foundation",
        "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/); changed as said above",
        "maintainers, their projects and employers"),
    "signals/oss_maintainer_employer_changes.csv.gz": (
        "CNCF project maintainers, by the Cloud Native Computing Foundation", "https://github.com/cncf/foundation",
        "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/); changed as said above",
        "dated changes of employer, from the history of the file"),
    "signals/us_federal_job_postings.csv.gz": (
        "USAJOBS historical announcements, collected by Abigail Haddad",
        "https://github.com/abigailhaddad/usajobs_historical",
        "public domain (work of the United States government); the collection under the MIT License, Copyright (c) "
        "Abigail Haddad", "job postings of federal agencies"),
    "signals/sec_8k_events_30_companies.csv.gz": (
        "U.S. Securities and Exchange Commission, EDGAR submissions", "https://www.sec.gov/edgar",
        "public domain (work of the United States government)", "filings on Form 8-K by item code"),
    "signals/crunchbase2013_acquisitions.csv.gz": (
        "Crunchbase, October 2013 (https://www.crunchbase.com)", "https://github.com/datahoarder/crunchbase-october-2013",
        "CC BY, version not stated; changed as said above", "acquisitions: buyer, bought company, date"),
    "signals/crunchbase2013_rounds.csv.gz": (
        "Crunchbase, October 2013 (https://www.crunchbase.com)", "https://github.com/datahoarder/crunchbase-october-2013",
        "CC BY, version not stated; changed as said above", "funding rounds: company, date, amount"),
    "visits/apache_access.log.gz": (
        "Apache access log of the Elastic Stack examples, by Elasticsearch B.V.",
        "https://github.com/elastic/examples, commit 6d86454ebb7a, Common Data Formats/apache_logs/apache_logs",
        "Apache License 2.0; changed: other networks, no referrers", "requests to one website in May 2015"),
}  # fmt: skip
"""By file of the open data: its name and author, address, licence, and what was taken."""

_LICENCES = Path(__file__).with_name("licences.txt").read_text("utf-8")


def notice(used: Set[str]) -> str:
    """Return the text for the files that were read. A file without an entry is an error of this program."""
    parts = []
    for name in sorted(used):
        title, address, licence, part_used = SOURCES[name]
        parts.append(f"{title}\n  {address}\n  Licence: {licence}\n  Taken: {part_used}\n  File: {name}\n\n")
    return _HEAD + "".join(parts) + _LICENCES
