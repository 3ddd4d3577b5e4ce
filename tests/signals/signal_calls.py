"""Calls of signals over HTTP, as tests make them: every answer is held against its description."""

import msgspec

from firmograph.api.envelope import ItemError
from firmograph.security.record_ids import RecordIds
from firmograph.signals import answers
from record_factory import KEYRING

CONTACTS, COMPANIES = "/v3/contacts/signals", "/v3/companies/signals"
TOKENS = RecordIds(KEYRING)


def ask(service, path, ids, types=("allSignals",), **more):
    answer = service.post(path, {"ids": ids, "signalTypes": list(types), **more})
    assert answer.status_code == 200, answer.text
    _described(path, answer.content)
    return answer.json()


def _described(path, content):
    """Every answer is as the OpenAPI document says, with nothing more."""
    whole = answers.ContactSignalsAnswer if path == CONTACTS else answers.CompanySignalsAnswer
    record = answers.SignalsOfContact if path == CONTACTS else answers.SignalsOfCompany
    body = msgspec.json.decode(content)
    assert set(body) == {field.encode_name for field in msgspec.structs.fields(whole)}
    for result in body["results"]:
        kind = ItemError if "error" in result else record
        strict = msgspec.defstruct(
            "Strict", [], bases=(kind,), forbid_unknown_fields=True, kw_only=True, rename="camel"
        )
        msgspec.convert(result, strict)


def refused(service, path, body):
    answer = service.post(path, body)
    assert answer.status_code == 400, answer.text
    return answer.json()["message"]
