"""The NOTICE of the demo data: every source that was read, its licence, and who is to be named."""

from collections.abc import Set

_HEAD = """\
The files companies.jsonl.gz and contacts.jsonl.gz of this folder, and those of signals/, are made of the following
open data. They were selected, joined, normalised and shortened by scripts/build_demo_data.py; that is a change in the
sense of the licences. What stands under "made-up:" in them does not exist, nor does anything in the files
signals/made-up-*. No source endorses this project.

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
}  # fmt: skip
"""By file of the open data: its name and author, address, licence, and what was taken."""

_LICENCES = """\
MIT License, for the sources named under it above:

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so, subject to the following
conditions: The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS
OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE
AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR
OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

BSD 3-Clause License, for the Name Suggestion Index:

Redistribution and use in source and binary forms, with or without modification, are permitted provided that
the following conditions are met: 1. Redistributions of source code must retain the above copyright notice,
this list of conditions and the following disclaimer. 2. Redistributions in binary form must reproduce the
above copyright notice, this list of conditions and the following disclaimer in the documentation and/or other
materials provided with the distribution. 3. Neither the name of the copyright holder nor the names of its
contributors may be used to endorse or promote products derived from this software without specific prior
written permission. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY
EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE
LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT
LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.

Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0
"""


def notice(used: Set[str]) -> str:
    """The text for the files that were read. A file without an entry is a mistake of this program."""
    parts = []
    for name in sorted(used):
        title, address, licence, taken = SOURCES[name]
        parts.append(f"{title}\n  {address}\n  Licence: {licence}\n  Taken: {taken}\n  File: {name}\n\n")
    return _HEAD + "".join(parts) + _LICENCES
