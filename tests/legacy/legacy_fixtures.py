"""Two companies and two people with signals, as the legacy endpoints show them."""

from datetime import timedelta

from firmograph.database.connection import RECORDS
from firmograph.directory.identity import Digests
from firmograph.directory.records import Company, CompanyRef
from firmograph.kit.clock import today
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import store
from firmograph.signals.events import (
    DepartmentSurge,
    Detected,
    HeadcountChange,
    JobMove,
    LocationSurge,
    NewsEvent,
    PersonReference,
    Post,
)
from record_factory import KEYRING, contact, load_companies, load_contacts

TOKENS = RecordIds(KEYRING)
CONTACTS, COMPANIES = "/api/signals/contacts", "/api/signals/companies"
ACME, RIVAL = 1, 2
JANE, JOE = 1, 2

MOVE = JobMove(ACME, "Acme", "acme.example", "CTO", "Product", "C-Suite", RIVAL, "Rival", "", "VP")
POST = Post(
    "2026-01-01",
    "technology",
    [],
    PersonReference(None, "A", ""),
    [],
    [],
    "https://l.example/1",
    None,
    1,
    2,
    3,
    "post",
)


def news(event):
    return NewsEvent(
        event, "Acme did.", "2026-02-03", "Title", "Highlight", "2026-02-03", "https://n.example/1"
    )


def signal(number, type, day, event, detail=""):
    entity = Entity.CONTACT if isinstance(event, JobMove) else Entity.COMPANY
    return Detected(entity, number, type, f"{day} {detail}", day, event, detail)


def put(service, *found):
    with service.database.write(RECORDS) as session:
        assert store.store_signals(session, Digests(KEYRING), found, 0.0) == len(found)


def days_ago(service, days):
    return (today(service.clock) - timedelta(days=days)).isoformat()


def legacy(entity, number):
    return TOKENS.legacy(entity, number)


def answer_of(service, path, body, **options):
    answer = service.post(path, body, **options)
    assert answer.status_code == 200, answer.text
    return answer.json()


def acme(service, *signals, **more):
    """Return Acme's signals of these types, each as the detail that distinguishes its events."""
    body = {"companyIds": [legacy(Entity.COMPANY, ACME)], "signals": list(signals), **more}
    (company,) = answer_of(service, COMPANIES, body)["companies"].values()
    return {
        type: [
            one.get("department") or one.get("state") or one.get("eventType") or one.get("country")
            for one in events
        ]
        for type, events in company.items()
        if isinstance(events, list)
    }


def stocked(service):
    """Store two companies and two people; Acme has signals of all kinds, Jane a job change and a promotion."""
    refs = [CompanyRef(name="Acme", domain="acme.example"), CompanyRef(name="Rival")]
    load_companies(service.database, "a", [Company(name=one.name, domain=one.domain) for one in refs])
    load_contacts(
        service.database,
        "a",
        [
            contact("Jane", "Doe", emails=["jane@acme.example"], company=refs[0], title="CTO"),
            contact("Joe", "Bloggs", emails=["joe@rival.example"], company=refs[1]),
        ],
    )
    put(
        service,
        signal(JANE, "companyChange", "2026-02-01", MOVE),
        signal(JANE, "promotion", "2026-03-01", MOVE),
        signal(JANE, "promotion", "2026-04-01", MOVE),
        signal(ACME, "headcountIncrease3m", "2026-01-31", HeadcountChange(100, 125, 25)),
        signal(
            ACME, "surgeInHiringByDepartment", "2026-01-11", DepartmentSurge("Sales", 9, 4.5, 100), "Sales"
        ),
        signal(ACME, "surgeInHiringByDepartment", "2026-01-11", DepartmentSurge("Legal", 8, 4, 100), "Legal"),
        signal(
            ACME, "surgeInHiringByLocation", "2026-01-11", LocationSurge("Germany", None, 8, 4, 100), "DE"
        ),
        signal(
            ACME,
            "surgeInHiringByLocation",
            "2026-01-11",
            LocationSurge("United States", "California", 8, 4, 100),
            "US|CA",
        ),
        signal(ACME, "commercialActivityNews", "2026-02-02", news("partnership"), "partnership"),
        signal(ACME, "commercialActivityNews", "2026-02-03", news("new customer"), "new customer"),
        signal(ACME, "riskNews", "2026-02-03", news("lawsuit faced"), "lawsuit faced"),
        signal(ACME, "linkedinActivityIntent", days_ago(service, 3), POST, "|Business|"),
    )
    return service
