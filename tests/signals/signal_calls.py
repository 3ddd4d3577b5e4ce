"""Calls of the signals endpoints; every answer is checked against its schema."""

import msgspec

from firmograph.api.envelope import ItemError
from firmograph.security.record_ids import RecordIds
from firmograph.signals import answers
from record_factory import KEYRING

CONTACTS, COMPANIES = "/v3/contacts/signals", "/v3/companies/signals"
TOKENS = RecordIds(KEYRING)


def request_signals(service, path, ids, types=("allSignals",), **more):
    answer = service.post(path, {"ids": ids, "signalTypes": list(types), **more})
    assert answer.status_code == 200, answer.text
    _check_documented(path, answer.content)
    return answer.json()


def _check_documented(path, content):
    """Check that an answer without a table has exactly the fields of the OpenAPI document."""
    answer_type = answers.ContactSignalsAnswer if path == CONTACTS else answers.CompanySignalsAnswer
    record = answers.SignalsOfContact if path == CONTACTS else answers.SignalsOfCompany
    body = msgspec.json.decode(content)
    documented = {field.encode_name for field in msgspec.structs.fields(answer_type)}
    assert set(body) == documented - {"tableWrite"}
    for result in body["results"]:
        kind = ItemError if "error" in result else record
        strict = msgspec.defstruct(
            "Strict", [], bases=(kind,), forbid_unknown_fields=True, kw_only=True, rename="camel"
        )
        msgspec.convert(result, strict)


def refusal_message(service, path, body):
    answer = service.post(path, body)
    assert answer.status_code == 400, answer.text
    return answer.json()["message"]
