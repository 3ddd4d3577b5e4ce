"""Calls of the signal score, and the companies and people that they are about."""

from firmograph.database.connection import RECORDS
from firmograph.directory.records import Company, CompanyRef
from firmograph.signals.store import record_feed
from record_factory import contact, load_companies, load_contacts

COMPANIES, CONTACTS = "/v3/companies/signal-score", "/v3/contacts/signal-score"


def load(database):
    """Store three companies with name and domain alone, and two people, the second without a job."""
    names = ("Acme Inc", "acme.example"), ("Quiet", "quiet.example"), ("Past", "past.example")
    load_companies(database, "a", [Company(name=name, domain=domain) for name, domain in names])
    load_contacts(
        database,
        "a",
        [
            contact(
                "Jane",
                "Doe",
                emails=["jane@acme.example"],
                company=CompanyRef(name="Acme Inc", domain="acme.example"),
                title="CTO",
            ),
            contact("Joe", "Bloggs", emails=["joe@example.org"]),
        ],
    )


def record_news(database):
    """Record that news are imported, which makes their types applicable to every company."""
    with database.write(RECORDS) as session:
        record_feed(session, "news", 1)


def results(answer):
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]
