"""Answers about two people whose record was split."""

import pytest

from firmograph.directory.identity import Digests
from firmograph.ingest.merging.split import RecordSplitter
from firmograph.security.record_ids import Entity, RecordIds
from record_factory import contact, load_contacts

pytestmark = pytest.mark.any_database

ENRICH = "/v3/contacts/enrich"
BOTH = "/v3/contacts/search-and-enrich"
SHARED = "https://www.linkedin.com/in/front-office"


def found(service, name):
    (result,) = service.post(
        BOTH, {"contacts": [{"email": f"{name}@acme.example"}], "reveal": ["emails"]}
    ).json()["results"]
    return result["id"], [email["email"] for email in result["emails"]]


def test_two_people_are_found_and_paid_data_stays_with_the_old_id(service, keyring):
    load_contacts(
        service.database, "crm", [("1", contact("Ann", "Orr", emails=["ann@acme.example"], linkedin=SHARED))]
    )
    load_contacts(
        service.database, "fair", [("9", contact("A.", "Orr", emails=["abe@acme.example"], linkedin=SHARED))]
    )
    old = found(service, "abe")[0]
    assert found(service, "ann")[0] == old
    done = RecordSplitter(service.database, Digests(keyring), RecordIds(keyring), service.clock).split(
        old, ["fair/9"]
    )
    assert (done.entity, done.old_id) == (Entity.CONTACT, old)
    assert found(service, "ann") == (old, ["ann@acme.example"])
    body = service.post(ENRICH, {"ids": [old, done.new_id], "reveal": ["emails"]}).json()
    assert [result["emails"][0]["email"] for result in body["results"]] == [
        "ann@acme.example",
        "abe@acme.example",
    ]
    assert body["billing"]["creditsCharged"] == 1
