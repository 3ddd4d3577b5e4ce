import csv
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from firmograph.cli.demo.data_files import CONVERSATIONS, FILES, NETWORKS, VISITS, WITHOUT_PHONES
from firmograph.directory.normalise.domains import registrable_domain

pytestmark = [pytest.mark.any_database, pytest.mark.folders("demo", "scripts")]

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo"
PACKAGED = ROOT / "src" / "firmograph" / "cli" / "demo" / "data"
BUILDER = ROOT / "scripts" / "build_demo_data.py"
PACKER = ROOT / "scripts" / "pack_demo_data.py"
RESERVED = re.compile(r"(.+\.)?(example\.(com|org|net)|[a-z-]+\.test)")
FICTION = re.compile(r"\+1\d{3}55501\d\d")
REVEAL_TOKENS = {
    "employeesByDepartment", "employeesByLocation", "employeesBySeniority", "competitors", "intent",
    "estimatedAnnualItSpend", "monthlyWebsiteTraffic", "openJobs", "parents",
}  # fmt: skip


def rows_of(path):
    with gzip.open(path, "rb") as file:
        return [msgspec.json.decode(line) for line in file]


@pytest.fixture(scope="module")
def companies():
    return rows_of(DEMO / "companies.jsonl.gz")


@pytest.fixture(scope="module")
def contacts():
    return rows_of(DEMO / "contacts.jsonl.gz")


def made_up(rows):
    return [row for row in rows if row["sourceId"].startswith("made-up:")]


# the files as they are shipped


def test_the_promised_numbers_of_companies_and_contacts_exist(companies, contacts):
    assert len(companies) >= 20_000
    assert len(contacts) >= 10_000


def test_all_files_together_stay_within_six_megabytes():
    assert sum(path.stat().st_size for path in DEMO.rglob("*.gz")) <= 6_000_000


def test_source_ids_and_hosts_are_unique(companies, contacts):
    for rows in (companies, contacts):
        assert len({row["sourceId"] for row in rows}) == len(rows)
    hosts = [row["domain"] for row in companies if "domain" in row]
    assert len(set(hosts)) == len(hosts)


def test_every_record_has_a_name(companies, contacts):
    assert all(row.get("name") for row in companies)
    assert all(row.get("fullName") or (row.get("firstName") and row.get("lastName")) for row in contacts)


def test_every_owner_with_a_domain_is_a_company_of_the_file(companies):
    hosts = {row.get("domain") for row in companies}
    assert {
        owner["domain"] for row in companies for owner in row.get("parents", ()) if "domain" in owner
    } <= hosts


def test_ownership_has_more_than_one_level(companies):
    owners = {row["domain"]: row.get("parents", ()) for row in companies if "domain" in row}
    assert any(owners.get(owner.get("domain")) for row in companies for owner in row.get("parents", ()))


def test_maintainers_have_no_contact_data(contacts):
    maintainers = [row for row in contacts if row["sourceId"].startswith("maintainer:")]
    assert maintainers
    assert not any(row.keys() & {"emails", "phones", "linkedinUrl", "socialLinks"} for row in maintainers)


def test_names_offices_and_jobs_are_the_only_personal_data(contacts):
    fields = {field for row in contacts if not row["sourceId"].startswith("made-up:") for field in row}
    assert fields <= {
        "sourceId", "firstName", "lastName", "fullName", "jobTitle", "company", "location", "emails", "phones",
        "socialLinks", "previousEmployment", "skills",
    }  # fmt: skip


def test_every_reveal_token_occurs_in_some_made_up_company(companies):
    assert {field for row in made_up(companies) for field in row} >= REVEAL_TOKENS
    jobs = {group for row in made_up(companies) for group in row.get("openJobs", ())}
    assert jobs == {"total", "byDepartment", "byLocation", "bySeniority"}


def test_facts_that_open_data_lacks_occur_in_made_up_companies_only(companies):
    real = [row for row in companies if not row["sourceId"].startswith("made-up:")]
    assert not any(row.keys() & (REVEAL_TOKENS - {"parents"}) for row in real)


def test_made_up_records_are_marked_in_their_names_and_use_reserved_domains(companies, contacts):
    for row in made_up(companies):
        assert "(made up)" in row["name"]
        assert RESERVED.fullmatch(row["domain"])
    for row in made_up(contacts):
        assert "(made up)" in row["company"]["name"]
        assert all(RESERVED.fullmatch(email["email"].partition("@")[2]) for email in row["emails"])
        assert all(FICTION.fullmatch(phone["number"]) for phone in row["phones"])
        assert row["linkedinUrl"].endswith("-made-up")


def test_no_real_record_uses_a_reserved_domain(companies, contacts):
    real = [row for row in companies if not row["sourceId"].startswith("made-up:")]
    assert not any(RESERVED.fullmatch(registrable_domain(row["domain"])) for row in real if "domain" in row)
    people = [row for row in contacts if not row["sourceId"].startswith("made-up:")]
    assert not any(
        RESERVED.fullmatch(email["email"].partition("@")[2])
        for row in people
        for email in row.get("emails", ())
    )


def named_companies(row):
    """Return the domains and names by which a fact identifies companies."""
    author = row.get("author", {}).get("company")
    given = [row.get("company"), author, *row.get("companies", ())]
    return [one["name"] if isinstance(one, dict) else one for one in given if one]


@pytest.mark.parametrize("path", sorted((DEMO / "signals").glob("*.gz")), ids=lambda path: path.name)
def test_dated_facts_about_nonexistent_companies_are_in_files_that_say_so(path):
    made_up = path.name.startswith("made-up-")
    for row in rows_of(path):
        for name in named_companies(row):
            assert bool(RESERVED.fullmatch(name)) == made_up


def test_job_changes_have_no_contact_data():
    for row in rows_of(DEMO / "signals/job-changes.jsonl.gz"):
        assert row.keys() == {"sourceId", "fullName", "jobTitle", "company", "updateDate"}


def test_the_access_log_has_private_networks_alone_and_no_referrers():
    with gzip.open(DEMO / "visits.log.gz", "rt") as log:
        for line in log:
            assert re.match(r'10\..* "-" "[^"]*"$', line)


def test_owners_of_networks_are_made_up_and_say_so():
    with (DEMO / "made-up-networks.csv").open() as file:
        for row in csv.DictReader(file):
            assert row["network"].startswith("10.")
            assert "(made up)" in row["name"]
            assert not row["domain"] or RESERVED.fullmatch(row["domain"])


@pytest.mark.parametrize(
    "source",
    [
        "FinanceDatabase", "S&P 500", "Securities and Exchange Commission", "Research Organization Registry",
        "YC Scraper", "Name Suggestion Index", "Cloud Native Landscape", "Argo CD", "Catalyst Cooperative", "Stapply",
        "Open States", "USAJOBS", "Crunchbase",
        "Elastic Stack examples", "congress-legislators", "CNCF project maintainers",
        "Cybersecurity and Infrastructure",
    ],
)  # fmt: skip
def test_the_notice_names_every_source(source):
    assert source in (DEMO / "NOTICE").read_text("utf-8")


# the part that is shipped


def test_the_packaged_data_are_those_that_the_script_selects():
    done = subprocess.run([sys.executable, PACKER, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_packaged_data_stay_within_three_megabytes_and_have_their_notice():
    assert sum(path.stat().st_size for path in PACKAGED.glob("*.xz")) <= 3_000_000
    notice = (PACKAGED / "NOTICE").read_text("utf-8")
    for folder in (DEMO, DEMO / "conversations"):
        assert (folder / "NOTICE").read_text("utf-8") in notice


def test_every_packaged_file_is_imported_by_the_demonstration():
    files = (*FILES, NETWORKS, VISITS, WITHOUT_PHONES, *CONVERSATIONS)
    assert {f"{file.name}.{file.ending}.xz" for file in files} == {
        path.name for path in PACKAGED.glob("*.xz")
    }


# the builder, on a small folder of the test


def write_table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_objects(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


LISTED = {
    "domain": "", "website": "", "name": "", "name_variants": "", "sector": "", "industry_group": "", "industry": "",
    "country": "Norway", "state": "", "city": "", "zipcode": "", "market_cap": "Large Cap", "currency": "",
    "symbols": "", "isins": "",
}  # fmt: skip
BRAND = dict.fromkeys(
    (
        "wikidata",
        "name",
        "description",
        "website",
        "domain",
        "facebook",
        "twitter",
        "instagram",
        "youtube",
        "linkedin",
    ),
    "",
)
ROR = dict.fromkeys(
    (
        "ror",
        "name",
        "types",
        "established",
        "country",
        "subdivision",
        "city",
        "website",
        "domain",
        "domains",
        "aliases",
    ),
    "",
)


@pytest.fixture
def open_data(tmp_path):
    folder = tmp_path / "data"
    write_table(
        folder / "companies/financedatabase_companies.csv.gz",
        [
            {**LISTED, "domain": "acme.example.com", "name": "Acme ASA Class A", "name_variants": "Acme ASA|Zebra plc",
             "industry": "Banks", "symbols": "ACM.OL|ACM"},
            {**LISTED, "domain": "globex.example.org", "name": "Globex ETF"},
        ],
    )  # fmt: skip
    write_table(
        folder / "companies/brands_social_links.csv.gz",
        [
            {**BRAND, "name": "Acme", "domain": "acme.example.com", "facebook": "acme"},
            {**BRAND, "name": "Unlike", "domain": "acme.example.com", "twitter": "unlike"},
        ],
    )
    write_table(
        folder / "companies/ror_organizations.csv.gz",
        [
            {
                **ROR,
                "ror": "01",
                "name": "University of Examples",
                "website": "https://www.uni.test/",
                "types": "education",
            },
            {**ROR, "ror": "02", "name": "Institute of Tests", "website": "https://uni.test/institute"},
            {**ROR, "ror": "03", "name": "Unrelated Museum", "website": "https://museum.test"},
        ],
    )
    edge = {"ror": "02", "name": "", "relation": "parent", "related_ror": "01", "related_name": ""}
    write_table(folder / "companies/ror_relationships.csv.gz", [edge])
    maintainer = {
        "maturity": "Sandbox",
        "project": "Thing",
        "name": "Kim Sample",
        "company": "Acme",
        "github": "kims",
    }
    write_table(
        folder / "people/oss_project_maintainers.csv.gz",
        [maintainer, {**maintainer, "maturity": "Graduated", "project": "Other"}],
    )
    state = "ocd-jurisdiction/country:us/state:ak/government"
    current = {"type": "upper", "jurisdiction": state, "start_date": "2021-01-01"}
    past = {"type": "governor", "jurisdiction": state, "start_date": "2015-01-01", "end_date": "2019-01-01"}
    official = {
        "id": "x/1", "name": "Pat Example", "given_name": "Pat", "family_name": "Example", "body": "legislature",
        "state": "AK", "email": "Pat@akleg.example.com", "offices": [{"voice": "907-555-0101"}],
    }  # fmt: skip
    write_objects(
        folder / "people/us_state_officials_current.jsonl.gz",
        [
            {**official, "roles": [past, current]},
            {**official, "id": "x/2", "roles": [past]},
            {**official, "id": "x/3", "roles": [{**current, "type": "lower"}]},
        ],
    )
    return folder


def build(folder, output):
    subprocess.run([sys.executable, BUILDER, folder, output], check=True, capture_output=True)
    return {
        row["sourceId"]: row
        for name in ("companies", "contacts")
        for row in rows_of(output / f"{name}.jsonl.gz")
    }


def test_the_same_data_gives_the_same_bytes(open_data, tmp_path):
    for output in ("first", "second"):
        build(open_data, tmp_path / output)
    for name in ("companies.jsonl.gz", "contacts.jsonl.gz", "visits.log.gz", "NOTICE"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_the_built_data_agrees_with_the_sources(open_data, tmp_path):
    rows = build(open_data, tmp_path / "out")

    acme = rows["fd:acme.example.com"]
    assert (acme["name"], acme["industry"], acme["subIndustry"]) == ("Acme ASA", "Finance", "Banking")
    assert acme["stockSymbols"] == ["ACM.OL", "ACM"]
    assert acme["socialLinks"] == {"facebook": "https://www.facebook.com/acme"}
    assert not acme.keys() & {"employeeCount", "alternativeNames"}
    assert "fd:globex.example.org" not in rows

    assert rows["ror:02"]["parents"] == [{"name": "University of Examples", "domain": "uni.test"}]
    assert "domain" not in rows["ror:02"]
    assert "ror:03" not in rows

    maintainer = rows["maintainer:kims"]
    assert maintainer["jobTitle"] == "Project Maintainer, Other"
    assert maintainer["skills"] == ["Other", "Thing"]
    assert maintainer["company"] == {"name": "Acme", "domain": "acme.example.com"}

    official = rows["openstates:1"]
    assert official["jobTitle"] == {"title": "State Senator", "startDate": "2021-01-01"}
    assert official["company"]["name"] == "Alaska Legislature"
    assert official["previousEmployment"] == [
        {"company": {"name": "State of Alaska"}, "jobTitle": "Governor"}
    ]
    assert official["phones"] == [{"number": "+19075550101", "type": "work"}]
    assert "openstates:2" not in rows


def test_the_notice_names_exactly_the_sources_that_were_read(open_data, tmp_path):
    build(open_data, tmp_path / "out")
    text = (tmp_path / "out" / "NOTICE").read_text("utf-8")
    assert "FinanceDatabase" in text
    assert "YC Scraper" not in text
