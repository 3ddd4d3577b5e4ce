"""Suppressed people in conversations: masked everywhere, and kept out by later imports."""

import pytest
from analyses import make_worker

from conversation_factory import put, transcript
from firmograph.conversations import word_store
from firmograph.conversations.words import IndexedField
from firmograph.database.connection import AccountSession
from firmograph.directory.records import CompanyRef
from firmograph.privacy.suppression import Suppression
from record_factory import contact, load_contacts

SEARCH = "/v3/account/conversations/search"
JANE, BOB = ("Jane Doe", "jane@globex.test"), ("Bob Roe", "bob@initech.test")


@pytest.fixture
def with_jane(service):
    """Return the application with a contact Jane Doe of Globex."""
    company = CompanyRef(name="Globex", domain="globex.test")
    load_contacts(
        service.database, "crm", [contact("Jane", "Doe", emails=["jane@globex.test"], company=company)]
    )
    return service


def suppress(service, email="jane@globex.test"):
    suppression = service.installation.get(Suppression)
    suppression.suppress(suppression.person(email=email))


def everything(service, conversation_id):
    (shown,) = service.post(SEARCH, {"conversationIds": [conversation_id]}).json()["results"]
    return str(shown) + service.get(f"/v3/account/conversations/{conversation_id}/transcript").text


def test_a_participant_is_masked_with_all_words(with_jane):
    said = ("Jane Doe", "my secret"), ("Bob Roe", "Thanks Jane, so Jane Doe's secret is safe")
    ids = put(with_jane, {"a": transcript(*said, title="Call with Jane Doe", people=[JANE, BOB])})
    suppress(with_jane)
    shown = everything(with_jane, ids["a"])
    assert "Jane" not in shown
    assert "my secret" not in shown
    assert "Removed participant" in shown
    assert "Bob Roe" in shown
    assert "secret is safe" in shown
    assert with_jane.post(SEARCH, {"contactNames": ["Jane"]}).json()["results"] == []
    assert with_jane.post(SEARCH, {"query": "jane"}).json()["results"] == []


def test_who_is_only_named_is_masked_at_a_company_of_the_conversation(with_jane):
    said = (("Bob Roe", "We met Jane Doe and Jane Smith"),)
    ids = put(with_jane, {"a": transcript(*said), "b": transcript(*said, domain="other.test")})
    suppress(with_jane)
    assert "We met […] and Jane Smith" in everything(with_jane, ids["a"])
    assert "We met Jane Doe and Jane Smith" in everything(with_jane, ids["b"])


def test_the_analysis_goes_and_is_made_again(with_jane):
    import asyncio

    ids = put(with_jane, {"a": transcript(("Jane Doe", "hello"), people=[JANE])})
    asyncio.run(make_worker(with_jane).run_until_idle())
    suppress(with_jane)
    assert "'summary': None" in everything(with_jane, ids["a"])
    assert asyncio.run(make_worker(with_jane).run_until_idle()) == 1
    assert "1 segments" in everything(with_jane, ids["a"])


def test_later_imports_do_not_bring_a_suppressed_person_back(with_jane):
    first = transcript(("Jane Doe", "hello"), ("Bob", "hi"), people=[JANE])
    ids = put(with_jane, {"a": first})
    suppress(with_jane)
    put(with_jane, {"a": first})
    assert "Jane" not in everything(with_jane, ids["a"])
    put(with_jane, {"a": transcript(("Jane Doe", "hello again"), ("Bob", "bye"), people=[JANE])})
    shown = everything(with_jane, ids["a"])
    assert "Jane" not in shown
    assert "bye" in shown


def test_a_speaker_who_was_given_the_name_stays_masked_through_another_import(with_jane):
    from firmograph.conversations.administration import ConversationAdministration

    ids = put(with_jane, {"a": transcript(("Speaker 1", "my secret"), ("Bob", "hi"))})
    account_id = with_jane.accounts.find("Acme").id
    administration = with_jane.installation.get(ConversationAdministration)
    administration.name_speakers(account_id, ids["a"], {"Speaker 1": "Jane Doe"})
    assert "Jane Doe" in everything(with_jane, ids["a"])
    suppress(with_jane)
    assert "secret" not in everything(with_jane, ids["a"])
    put(with_jane, {"a": transcript(("Speaker 1", "another secret"), ("Bob", "hi"))})
    assert "secret" not in everything(with_jane, ids["a"])


def test_no_block_keeps_words_of_a_suppressed_person(with_jane):
    said = ("Jane Doe", "zebra giraffe"), ("Bob", "hi")
    put(with_jane, {"a": transcript(*said, people=[JANE]), "b": transcript(("Ann", "zebra"))})
    suppress(with_jane)
    account_id = with_jane.accounts.find("Acme").id
    with with_jane.database.read() as session:
        own = AccountSession(session, account_id)
        assert word_store.read_words(own, IndexedField.TEXT, ["giraffe"]) == {}
        assert list(word_store.read_words(own, IndexedField.TEXT, ["zebra"])) == ["zebra"]
        assert word_store.read_words(own, IndexedField.NAME, ["jane", "doe jane"]) == {}
