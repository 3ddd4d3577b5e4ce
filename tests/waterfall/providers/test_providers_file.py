"""The providers file: what it takes, and what it refuses with the place."""

import pytest

from firmograph.kit.clock import SetClock
from firmograph.kit.errors import Refused
from firmograph.settings import Settings
from firmograph.waterfall.providers.loading import load_providers
from waterfall.providers.asking import ENVIRON, FIRMOGRAPH, HTTP, load

pytestmark = pytest.mark.no_database

PEER = FIRMOGRAPH.format(url="https://peer.example.com")
API = HTTP.format(url="https://api.example.com")


def refusal(folder, text, **settings):
    with pytest.raises(Refused) as raised:
        load(folder, text, **settings)
    return raised.value.message


def test_no_file_is_no_provider():
    assert load_providers(Settings(), SetClock()).names() == []


def test_providers_come_in_the_order_of_the_file_with_their_traits(tmp_path):
    text = PEER.replace(".p]", ".zeta]") + API + "rate_per_second = 2.5\neu = true\nprices = {phones = 7}\n"
    text = text.replace(
        "\n[providers.p.request]",
        "\nrate_per_second = 2.5\neu = true\nprices = {phones = 7}\n[providers.p.request]",
    )
    text = text[: text.rindex("rate_per_second")]
    providers = load(tmp_path, text)
    assert providers.names() == ["zeta", "p"]
    assert providers.get("nobody") is None
    found = providers.get("p")
    assert (found.kind, found.eu, found.prices, found.rate_per_second) == ("http", True, {"phones": 7}, 2.5)
    other = providers.get("zeta")
    assert (other.kind, other.eu, other.prices, other.rate_per_second) == ("firmograph", False, {}, None)


@pytest.mark.parametrize(
    ("given", "instead", "message"),
    [
        ('kind = "http"', 'kind = "soap"', "providers.p.kind: must be one of firmograph, http, file"),
        ('kind = "http"\n', "", "providers.p.kind: must be one of firmograph, http, file"),
        ("insecure = true", "insecure = 1", "providers.p.insecure: must be true or false"),
        ("insecure = true", "colour = 1", "providers.p.colour: is no key of this table"),
        ("timeout_seconds = 5", "timeout_seconds = 11", "providers.p.timeout_seconds: must be at most 10.0"),
        ("timeout_seconds = 5", "timeout_seconds = 0", "providers.p.timeout_seconds: must be more than 0.0"),
        ("timeout_seconds = 5", "prices = {emails = -1}", "providers.p.prices.emails: must be at least 0"),
        ("timeout_seconds = 5", 'prices = {emails = "1"}', "providers.p.prices.emails: must be a whole number"),
        ("timeout_seconds = 5", "prices = {fax = 1}", "providers.p.prices.fax: is no key of this table"),
        ("timeout_seconds = 5", 'ca_file = "/no/such.pem"', "providers.p.ca_file: /no/such.pem cannot be read"),
        ("timeout_seconds = 5", 'key = "env:PROVIDER_KEY"', "providers.p.key: nothing sends it"),
        ('url = "https://api.example.com/people"\n', "", "providers.p.url: is required"),
        ("https://api", "ftp://api", "providers.p.url: must be a URL such as"),
        ("https://api", "https://me:pw@api", "providers.p.url: must be a URL such as"),
        ("https://api.example.com", "https://{domain}", "providers.p.url: must be a URL such as"),
        ("example.com/people", "example.com:99999/people", "providers.p.url: has no host and port"),
        ("/people", "/people?email={mail}", "providers.p.url: {mail} is no placeholder; known are {company}"),
        ("/people", "/people?api_key=abc", "providers.p.url: write the secret api_key as {key}"),
        ("[providers.p.request]", "[providers.p.requests]", "providers.p.requests: is no key"),
        ("[providers.p.request]", '[providers.p.request]\nmethod = "HEAD"', "providers.p.request.method: must be one"),
        ("[providers.p.request]", '[providers.p.request]\nmethod = "GET"', "providers.p.request.body: a GET has none"),
        ("[providers.p.request]", '[providers.p.request]\nheaders = {"X-Api-Key" = "abc"}', "X-Api-Key as {key}"),
        ("[providers.p.request]", '[providers.p.request]\nheaders = {"Host" = "x"}', "Host is no header that can be"),
        ("[providers.p.request]", '[providers.p.request]\nheaders = {"A B" = "x"}', "A B is no header that can be"),
        ("[providers.p.request]", '[providers.p.request]\nheaders = {"A" = "x\\n"}', "headers.A: must be printable"),
        ('{"email": "{email}"}', '{"email": {email}}', "providers.p.request.body: is not JSON"),
        ('{"email": "{email}"}', '{"email": "{mail}"}', "providers.p.request.body.email: {mail} is no placeholder"),
        ('{"email": "{email}"}', '{"email": "x"}', "providers.p: the request names no person"),
        ('emails = "emails"', 'emails = "emails["', "providers.p.response.emails: is no JMESPath"),
        ('emails = "emails"\nphones = "phones"', "", "providers.p.response: needs emails or phones"),
        ("[providers.p]", "[providers.P]", "providers.P: a name has 1 to 40"),
        ("[providers.p]", "[providers.service]", "providers.service: is the brand"),
        ("[providers.p]", "[other]\n[providers.p]", "other: is no key of this file"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_place(tmp_path, given, instead, message):
    text = API.replace("insecure = true\n", "") if "ftp" not in instead and "insecure" not in given else API
    assert given in text
    if given == "[providers.p]":
        text = text.replace("[providers.p.", instead.split("\n")[-1][:-1] + ".")
    found = refusal(tmp_path, text.replace(given, instead, 1))
    assert found.startswith(f"The providers file {tmp_path}/providers.toml: ")
    assert message in found


def test_plain_http_needs_to_be_allowed(tmp_path):
    assert "providers.p.url: must begin with https://" in refusal(
        tmp_path, HTTP.format(url="http://localhost").replace("insecure = true\n", "")
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("s3cret-key", "must be env:NAME or file:PATH, never the secret itself"),
        ("env:", "must be env:NAME or file:PATH"),
        ("env:s3cret-key", "the variable that it names is not set"),
        ("file:/no/such", "/no/such cannot be read: No such file or directory"),
        ("env:TWO_LINES", "the secret is empty, or not one line of printable ASCII"),
    ],
)
def test_a_key_is_named_and_never_written(tmp_path, monkeypatch, key, message):
    monkeypatch.setitem(ENVIRON, "TWO_LINES", "s3cret-key\nx")
    found = refusal(tmp_path, PEER.replace("env:PROVIDER_KEY", key))
    assert f"providers.p.key: {message}" in found
    assert "s3cret" not in found


def test_another_server_needs_a_key(tmp_path):
    assert "providers.p.key: is required" in refusal(tmp_path, PEER.replace('key = "env:PROVIDER_KEY"\n', ""))


def test_no_representation_shows_a_secret(tmp_path):
    (tmp_path / "key").write_text("s3cret-key\n")
    providers = load(tmp_path, PEER.replace("env:PROVIDER_KEY", f"file:{tmp_path}/key"))
    provider = providers.get("p")
    assert provider._secret.reveal() == "s3cret-key"
    shown = [repr(each) for each in (providers, provider, provider._secret, vars(provider))]
    assert not any("s3cret" in each for each in shown)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    text = '[providers.p]\nkind = "file"\nfile = "/no/such.csv"\n'
    assert "providers.p.file: /no/such.csv is no file that exists" in refusal(tmp_path, text)
