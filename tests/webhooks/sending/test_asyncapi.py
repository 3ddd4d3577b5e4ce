"""docs/asyncapi.yaml compared with the structs and with payloads."""

import runpy
import sys

import pytest
from asyncapi_document import DOCUMENT, ROOT, validation_errors

from firmograph.security.record_ids import Entity, RecordIds
from firmograph.signals import events
from firmograph.signals.event_renderer import EventRenderer
from firmograph.signals.types import COMPANY_TYPES, CONTACT_TYPES, TYPES, Signal
from firmograph.webhooks.sending.payload import compose_sample, compose_signal
from firmograph.webhooks.test_delivery.samples import sample_opt_out
from firmograph.webhooks.types import OPT_OUT
from record_factory import KEYRING

pytestmark = pytest.mark.no_database

RENDERER = EventRenderer(RecordIds(KEYRING))
SENT_TO = {"payload_id": "0b5f5a3e-7a54-5b5e-9c6a-0f6f3a1d2c3b", "subscription": "0123456789abcdef01234567"}
MENTIONED = events.PersonReference(None, "Ann Example", "https://people.example.com/ann")
UNKNOWN = events.CompanyReference(None, "Example", "")


def test_the_committed_document_is_the_output_of_the_script(tmp_path, monkeypatch):
    written = tmp_path / "asyncapi.yaml"
    monkeypatch.setattr(sys, "argv", ["build_asyncapi.py", str(written)])
    runpy.run_path(str(ROOT / "scripts" / "build_asyncapi.py"), run_name="__main__")
    assert written.read_text() == (ROOT / "docs" / "asyncapi.yaml").read_text()


def test_the_channel_has_a_message_for_every_signal_type_and_the_opt_out():
    messages = list(DOCUMENT["channels"]["subscription"]["messages"])
    assert messages == [*CONTACT_TYPES, *COMPANY_TYPES, OPT_OUT]
    sent = [each["$ref"].rpartition("/")[2] for each in DOCUMENT["operations"]["deliver"]["messages"]]
    assert sent == messages


@pytest.mark.parametrize(("entity", "type"), [(entity, type) for entity in TYPES for type in TYPES[entity]])
def test_a_payload_fits_the_schema_of_its_type_only(entity, type):
    mock = compose_sample(RENDERER, **SENT_TO, named="v1.x", entity=entity, type=type, at=1.5)
    assert validation_errors(type, mock) == []
    other = "promotion" if type != "promotion" else "riskNews"
    assert validation_errors(other, mock) != []


@pytest.mark.parametrize(
    ("type", "event"),
    [
        ("surgeInHiringByLocation", events.LocationSurge("Germany", None, 8, 1.6, 400)),
        (
            "linkedinActivityIntent",
            events.Post(
                "2026-01-01",
                "",
                [],
                MENTIONED,
                [MENTIONED],
                [UNKNOWN],
                "https://x.test/",
                None,
                0,
                0,
                0,
                "post",
            ),
        ),
    ],
)
def test_optional_values_of_signals_are_documented_as_optional(type, event):
    stored = Signal(1, b"i" * 16, 2, 7, type, "2026-01-01", "", events.event_json(event), 1.0, 0, 0)
    sent = compose_signal(RENDERER, **SENT_TO, named="7", signal=stored, card=None, credits=1, at=1.5)
    assert validation_errors(type, sent) == []


@pytest.mark.parametrize("partner", ["", "partner-7"])
def test_the_payload_of_an_opt_out_fits_its_schema(partner):
    sent = sample_opt_out("v1.x", partner, 1.5)
    assert validation_errors(OPT_OUT, sent) == []
    assert validation_errors(OPT_OUT, sent.replace(b'"phone"', b'"fax"')) != []


def test_an_undocumented_property_is_an_error():
    mock = compose_sample(RENDERER, **SENT_TO, named="1", entity=Entity.CONTACT, type="promotion", at=1.5)
    assert validation_errors("promotion", mock.replace(b'"data":{', b'"data":{"more":1,')) != []
    assert validation_errors("promotion", mock.replace(b'{"id"', b'{"more":1,"id"', 1)) != []
