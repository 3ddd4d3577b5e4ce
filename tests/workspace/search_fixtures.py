"""A few people and companies for the pages of search, one of them hostile; and calls of `curl` as pages show them."""

import html
import json
import re
import shlex

import msgspec

from firmograph.directory.records import Company, Contact
from firmograph.indexing import store
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.security.record_ids import Entity
from index_fixtures import is_applied
from record_factory import load_companies, load_contacts
from signal_factory import put_detected
from stored_records import stored_companies

HOSTILE = "<script>alert(1)</script>"
TITLES = "filters.contacts.include.jobTitles"
DIRECTORS = f"/search/contacts?{TITLES}=director"

_COMPANIES = [
    {"name": "Acme Instruments", "domain": "acme.example.com", "technologies": ["Kubernetes"]},
    {"name": "Umbrella Labs", "domain": "umbrella.example.com", "technologies": ["Kafka"]},
]


def _person(first, last, title, company, **more):
    return {
        "firstName": first,
        "lastName": last,
        "jobTitle": {"title": title},
        "location": {"country": "Germany", "countryIso2": "DE", "city": "Berlin"},
        "emails": [{"email": f"{last.lower().strip('<>')}@people.example.com", "type": "work"}],
        "phones": [{"number": "+12025550101", "type": "mobile", "doNotCall": False}],
        "company": {"name": _COMPANIES[company]["name"], "domain": _COMPANIES[company]["domain"]},
        **more,
    }


_PEOPLE = [
    _person("Ann", "Archer", "Sales Director", 0),
    _person("Ben", "Baker", "Finance Director", 1),
    _person("Cat", "Cooper", "Engineer", 0),
    _person(
        "Mallory",
        "Markup",
        f"Spy {HOSTILE}",
        1,
        socialLinks={"linkedin": "javascript:alert(1)"},
        certifications=[HOSTILE],
    ),
]


_PLANS = """
[plans.scale.pricing]
contactSearch = { credits = 3, perQuantity = 4 }
"""


def with_priced_plan(folder) -> str:
    """Return the path of a plans file whose plan `scale` prices previews."""
    plans = folder / "plans.toml"
    plans.write_text(_PLANS)
    return str(plans)


def load_people(service) -> None:
    """Load the records, and wait until they are indexed."""
    database = service.database
    load_companies(database, "test", [(one["name"], msgspec.convert(one, Company)) for one in _COMPANIES])
    load_contacts(database, "test", [(one["lastName"], msgspec.convert(one, Contact)) for one in _PEOPLE])
    acme = next(
        number for number, one in stored_companies(database).items() if one.name == "Acme Instruments"
    )
    put_detected(database, Entity.COMPANY, (acme, "headcountIncrease3m", "2024-05-01"))
    head = store.head(database.session())
    assert is_applied(service.installation.get(ServedSearch).active, head, 60)


def run_curl(service, page: str):
    """Send the call that a page shows as a command to the API."""
    command = html.unescape(re.search(r"<pre><code>(curl .*?)</code></pre>", page, re.DOTALL)[1])
    words = shlex.split(command.replace("$KEY", service.key))
    path = words[2].removeprefix(service.installation.settings.public_url)
    assert f"api_key: {service.key}" in words
    if "-d" not in words:
        return service.get(path)
    return service.post(path, json.loads(words[words.index("-d") + 1]))


def record_path(page: str, name: str) -> str:
    """Return the path of a record of a list, below `/workspace`."""
    return re.search(rf'href="/workspace(/[^"]+)">{re.escape(name)}</a>', page)[1]


def hidden(page: str, name: str) -> list[str]:
    """Return the values of the hidden fields of a name."""
    return re.findall(rf'type="hidden" name="{re.escape(name)}" value="([^"]*)"', page)
