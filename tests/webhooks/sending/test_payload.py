"""Bodies of deliveries by type, and their bytes in JavaScript."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from effort import examples
from firmograph.directory.vocabulary import DEPARTMENTS
from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import events
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.events import event_json
from firmograph.signals.types import ENTITY_OF, NEWS_EVENTS, TYPES, Signal
from firmograph.webhooks.sending.payload import compose_sample, compose_signal, credits_of, sample_data
from record_factory import KEYRING
from webhooks.javascript import Node

pytestmark = pytest.mark.any_database

TOKENS = RecordIds(KEYRING)
RENDERER = EventRenderer(TOKENS)
PAYLOAD_ID = "3a1b0f5e-8d41-4a8e-9f0f-6c8f3a7f1d20"
SUBSCRIPTION = "65f0a1b2c3d4e5f6a7b8c9d0"
MOVE = events.JobMove(
    7,
    "Acme",
    "acme.example.com",
    "Sales Director",
    "Sales, Other",
    "Director",
    8,
    "Old Ltd",
    "old.test",
    "Clerk",
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
FIGURES = st.floats(0, 1e15).map(events.round_figure)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    node = Node()
    yield node
    node.close()


def body(type: str, event: object, *, card: bytes | None = b'"name":"Acme"', named: str = "v1.x") -> bytes:
    signal = Signal(
        id=1,
        identity=bytes(range(16)),
        entity=int(ENTITY_OF[type]),
        number=5,
        type=type,
        day="2026-02-03",
        detail="",
        event=event_json(event),
        detected_at=0.0,
        quiet=0,
        ahead=0,
    )
    return compose_signal(
        RENDERER,
        payload_id=PAYLOAD_ID,
        subscription=SUBSCRIPTION,
        named=named,
        signal=signal,
        card=card,
        credits=3,
        at=1_790_000_000.25,
    )


def data(type: str, event: object) -> dict[str, object]:
    return json.loads(body(type, event))["data"]


def test_the_envelope_is_the_specified_one():
    payload = json.loads(body("promotion", MOVE, named="123456"))
    assert list(payload) == [
        "id",
        "type",
        "entityType",
        "entityId",
        "subscriptionId",
        "data",
        "timestamp",
        "billing",
    ]
    assert {name: value for name, value in payload.items() if name != "data"} == {
        "id": PAYLOAD_ID,
        "type": "promotion",
        "entityType": "contact",
        "entityId": "123456",
        "subscriptionId": SUBSCRIPTION,
        "timestamp": "2026-09-21T14:13:20.250Z",
        "billing": {"creditsCharged": 3},
    }


def test_credits_of_returns_the_cost_in_a_body():
    assert credits_of(body("promotion", MOVE)) == 3


def test_a_promotion_has_the_specified_fields():
    payload = data("promotion", MOVE)
    assert list(payload.items()) == [
        ("personId", TOKENS.legacy(Entity.CONTACT, 5)),
        ("currentCompanyId", TOKENS.legacy(Entity.COMPANY, 7)),
        ("currentCompanyName", "Acme"),
        ("currentDomain", "acme.example.com"),
        ("currentTitle", "Sales Director"),
        ("currentDepartments", [{"id": 16, "value": "Sales"}, {"id": 13, "value": "Other"}]),
        ("previousCompanyName", "Old Ltd"),
        ("previousDomain", "old.test"),
        ("signalDate", "2026-02-03"),
    ]


def test_a_change_of_company_also_has_the_former_title_and_the_seniority():
    promotion, change = data("promotion", MOVE), data("companyChange", MOVE)
    assert change == promotion | {"previousTitle": "Clerk", "currentSeniorityLabel": "Director"}


def test_every_department_has_its_number_and_no_department_is_an_empty_list():
    """Receivers know these numbers: they never change."""
    for number, name in enumerate(DEPARTMENTS, 1):
        assert data("promotion", replace(MOVE, current_departments=name))["currentDepartments"] == [
            {"id": number, "value": name}
        ]
    assert data("promotion", replace(MOVE, current_departments=""))["currentDepartments"] == []


@pytest.mark.parametrize("type", NEWS_EVENTS)
def test_news_have_eleven_texts(type):
    payload = json.loads(sample_data(RENDERER, type))
    assert set(payload) == {
        "companyId",
        "companyName",
        "domain",
        "signalId",
        "eventType",
        "eventSummary",
        "articlePublishedDate",
        "articleTitle",
        "articleHighlight",
        "eventEffectiveDate",
        "articleUrl",
    }
    assert all(isinstance(value, str) for value in payload.values())


def test_a_signal_of_a_deleted_company_has_an_empty_name():
    payload = json.loads(body("headcountIncrease1m", events.HeadcountChange(1, 2, 100), card=None))["data"]
    assert (payload["companyName"], payload["domain"]) == ("", "")
    assert payload["companyId"] == str(TOKENS.legacy(Entity.COMPANY, 5))


@pytest.mark.parametrize("type", [type for some in TYPES.values() for type in some])
def test_a_sample_is_made_up_free_and_always_the_same(type, node):
    samples = [
        compose_sample(
            RENDERER,
            payload_id=PAYLOAD_ID,
            subscription=SUBSCRIPTION,
            named="v1.x",
            entity=ENTITY_OF[type],
            type=type,
            at=0.0,
        )
        for _ in range(2)
    ]
    assert samples[0] == samples[1] == node.check(samples[0]).body
    payload = json.loads(samples[0])
    assert (payload["type"], payload["entityType"], payload["billing"]) == (
        type,
        ENTITY_OF[type].name.lower(),
        {"creditsCharged": 0},
    )
    assert json.loads(sample_data(RENDERER, type)) == payload["data"]
    assert "example." in str(payload["data"])


@settings(max_examples=examples(60))
@given(
    st.builds(
        events.NewsEvent, TEXTS, TEXTS, st.just("2026-01-01"), TEXTS, TEXTS, st.just("2026-01-01"), TEXTS
    ),
    st.builds(events.TrafficChange, FIGURES, FIGURES, st.integers(-(10**20), 10**20)),
    TEXTS,
)
def test_javascript_reproduces_the_bytes_of_payloads(node, news, traffic, text):
    card = b'"name":%s' % json.dumps(text, ensure_ascii=False).encode()
    for composed in (
        body("riskNews", news, card=card, named=text),
        body("websiteTrafficIncrease", traffic, card=card),
        body("companyChange", replace(MOVE, current_title=text)),
    ):
        assert node.check(composed).body == composed
