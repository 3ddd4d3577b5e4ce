"""Requests to providers: values escaped for where they stand, and who can be asked for."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from firmograph.waterfall.providers.types import Found, Miss, Person, Trouble
from waterfall.providers.asking import ASK_ID, HTTP, JANE, ask, load
from webhooks.receivers import Answer, Receiver

pytestmark = pytest.mark.no_database

NASTY = 'a"b\\c\r\nX: y/../?#&=%2e é{company}'
FOUND = Answer(200, b'{"phones": ["+14155550100"]}')


@pytest.fixture(scope="module")
def receiver():
    with Receiver(FOUND) as receiver:
        yield receiver


def request(receiver, folder, text, person=JANE, **options):
    """Return the request of an ask."""
    receiver.received.clear()
    assert ask(folder, text.replace("URL", receiver.origin), person=person, **options) == Found(
        phones=("+14155550100",)
    )
    return receiver.received[-1]


def http(url="URL/people", request="", response='phones = "phones"', more=""):
    return f"""
[providers.p]
kind = "http"
url = "{url}"
key = "env:PROVIDER_KEY"
insecure = true
{more}
[providers.p.request]
headers = {{"Authorization" = "Bearer {{key}}", "X-Person" = "{{company}}"}}
{request}
[providers.p.response]
{response}
"""


def test_values_are_escaped_in_paths_queries_and_headers(receiver, tmp_path):
    nasty = Person(email="jane@acme.com", company=NASTY)
    sent = request(receiver, tmp_path, http("URL/of/{company}/x?email={email}&c=z{company}&k={key}"), nasty)
    parts = urlsplit(sent.target)
    assert parts.path.count("/") == 3
    assert parse_qs(parts.query) == {"email": ["jane@acme.com"], "c": [f"z{NASTY}"], "k": ["s3cret-key"]}
    assert sent.method == "GET"
    assert sent.headers["authorization"] == "Bearer s3cret-key"
    assert sent.headers["idempotency-key"] == ASK_ID
    assert "\n" not in sent.headers["x-person"]
    assert "x" not in sent.headers


def test_values_are_escaped_in_json(receiver, tmp_path):
    json = '{"who": {"email": "{email}", "c": "z{company}", "first": "{first_name}", "n": null, "l": ["{last_name}"]}}'
    body = f"body = '{json}'"
    nasty = Person(email="jane@acme.com", company=NASTY)
    sent = request(receiver, tmp_path, http(request=body), nasty)
    assert sent.json == {"who": {"email": "jane@acme.com", "c": f"z{NASTY}", "n": None, "l": []}}
    assert sent.headers["content-type"] == "application/json"
    assert sent.method == "POST"


def test_a_table_is_json_too(receiver, tmp_path):
    sent = request(receiver, tmp_path, http(request='body = {email = "{email}", want = ["{data_point}"]}'))
    assert sent.json == {"email": "jane@acme.com", "want": ["phones"]}


def test_values_are_escaped_in_forms(receiver, tmp_path):
    nasty = Person(email="jane@acme.com", company=NASTY)
    sent = request(
        receiver, tmp_path, http(request='body = "email={email}&c={company}&first={first_name}"'), nasty
    )
    assert parse_qs(sent.body.decode()) == {"email": ["jane@acme.com"], "c": [NASTY]}
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize("value", [".", "..", None])
def test_a_path_that_would_lead_elsewhere_is_not_asked(receiver, tmp_path, value):
    receiver.received.clear()
    text = http("URL/{company}/x?email={email}").replace("URL", receiver.origin)
    person = Person(email="jane@acme.com", company=value)
    assert ask(tmp_path, text, person=person) == Miss("too little known of the person")
    assert receiver.received == []


@pytest.mark.parametrize(
    ("url", "person", "possible"),
    [
        ("?e={email}", Person(email="a@b.co"), True),
        ("?e={email}", Person(linkedin_url="https://linkedin.com/in/x"), False),
        ("?e={email}&l={linkedin_url}", Person(linkedin_url="https://linkedin.com/in/x"), True),
        ("?f={first_name}&l={last_name}&d={domain}", Person(first_name="A", last_name="B", domain="b.co"), True),
        ("?f={first_name}&l={last_name}&d={domain}", Person(first_name="A", last_name="B", company="B"), False),
        ("?f={first_name}&l={last_name}&d={domain}", Person(first_name="A", domain="b.co"), False),
        ("/{domain}?e={email}", Person(email="a@b.co"), False),
        ("/{domain}?e={email}", Person(email="a@b.co", domain="b.co"), True),
    ],
)  # fmt: skip
def test_a_person_is_asked_for_by_the_identifiers_of_the_template(tmp_path, url, person, possible):
    provider = load(tmp_path, http(f"https://api.example.com/x{url}").replace("{company}", "x")).get("p")
    assert provider.can_ask(person, "phones") is possible
    assert not provider.can_ask(person, "emails")


def polling(receiver, *answers):
    receiver.received.clear()
    receiver.script(*(Answer(200, json.dumps(each).encode()) for each in answers))
    text = (
        http("URL/find?email={email}", response='phones = "person.phones"')
        + """
[providers.p.poll]
url = "URL/jobs/{answer.job.id}?k={key}"
done = "status != 'running'"
every_seconds = 0.01
at_most_seconds = 5
"""
    )
    return text.replace("URL", receiver.origin)


RUNNING = {"status": "running", "job": {"id": 7}}
DONE = {"status": "done", "person": {"phones": "+14155550100"}}


def test_an_answer_is_polled_until_it_is_done(receiver, tmp_path):
    text = polling(receiver, RUNNING, RUNNING, DONE)
    assert ask(tmp_path, text) == Found(phones=("+14155550100",))
    targets = [each.target for each in receiver.received]
    assert targets == ["/find?email=jane%40acme.com", *["/jobs/7?k=s3cret-key"] * 2]
    assert all(each.headers["authorization"] == "Bearer s3cret-key" for each in receiver.received)


def test_an_answer_that_is_done_at_once_is_not_polled(receiver, tmp_path):
    assert ask(tmp_path, polling(receiver, DONE)) == Found(phones=("+14155550100",))
    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (Answer(404), "request refused"),
        (Answer(500), "server error"),
        (Answer(200, b"<html>"), "answer is not JSON"),
    ],
)
def test_a_poll_that_fails_is_a_later_try(receiver, tmp_path, second, reason):
    text = polling(receiver, RUNNING)
    receiver.script(Answer(204), second)
    assert ask(tmp_path, text) == Trouble(reason)
    assert len(receiver.received) == 3


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (RUNNING, "not done in time"),
        ({"status": "running"}, "answer names nothing to poll"),
        ({"status": "running", "job": {"id": {}}}, "answer names nothing to poll"),
        ({"status": "running", "job": {"id": ".."}}, "answer names nothing to poll"),
    ],
)
def test_a_poll_without_an_end_is_a_later_try(receiver, tmp_path, first, reason):
    text = polling(receiver, first).replace("at_most_seconds = 5", "at_most_seconds = 0.05")
    receiver.answer = Answer(200, json.dumps(RUNNING).encode())
    try:
        assert ask(tmp_path, text).reason == reason
    finally:
        receiver.answer = FOUND


def test_the_names_of_an_answer_are_passed_on(receiver, tmp_path):
    receiver.script(
        Answer(200, b'{"emails": ["b@x.com", 7, null, ["c"], "b@x.com"], "first": "Bob", "last": "Roe"}')
    )
    found = ask(tmp_path, HTTP.format(url=receiver.origin), data_point="emails")
    assert found == Found(emails=("b@x.com", "7"), first_name="Bob", last_name="Roe")
