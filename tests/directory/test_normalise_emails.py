import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmograph.directory.normalise.emails import (
    _uncommon,
    email_domain,
    email_type,
    is_free_mail,
    normalise_email,
)

pytestmark = pytest.mark.no_database


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (" Jane.Doe@Example.COM ", "jane.doe@example.com"),
        ("mailto:jane@example.com", "jane@example.com"),
        ("MAILTO: jane@example.com?subject=Hello", "jane@example.com"),
        ("jane+news@mail.example.org", "jane+news@mail.example.org"),
        ("o'neil@example.com", "o'neil@example.com"),
        ("jane@acme.test", "jane@acme.test"),
        ("o'neil@acme.local", "o'neil@acme.local"),
        ("JÖRG@acme.test", "jörg@acme.test"),
        ("jane@bücher.test", "jane@xn--bcher-kva.test"),
        ("jane@XN--BCHER-KVA.test", "jane@xn--bcher-kva.test"),
    ],
)
def test_an_address_has_one_form(text, address):
    assert normalise_email(text) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "jane",
        "jane@",
        "@example.com",
        "jane@localhost",
        "jane@example",
        "jane doe@example.com",
        "jane..doe@example.com",
        ".jane@example.com",
        "jane.@example.com",
        "jane@-example.com",
        "jane@example-.com",
        "jane@example..com",
        "jane@[127.0.0.1]",
        "jane@127.0.0.1",
        "Jane Doe <jane@example.com>",
        "a@b@example.com",
        "jane@" + "a" * 64 + ".com",
        "jane@example.com\x00",
        "jane@\ud800.com",
        "j" * 250 + "@example.com",
    ],
)
def test_an_invalid_address_is_none(text):
    assert normalise_email(text) is None


_LOCAL = st.text("ab0._+-'!\"é ", max_size=70)
_DOMAIN = st.lists(st.text("ab0-_é", max_size=66), max_size=4).map(".".join)


@given(st.builds("{}@{}".format, _LOCAL, _DOMAIN) | st.emails())
@example("a@xn--a.com")
@example("a@b.test")
@example("a@b.local")
def test_the_fast_path_agrees_with_the_library(text):
    assert normalise_email(text) == _uncommon(text.strip().lower())


@given(st.emails())
def test_normalising_twice_changes_nothing(text):
    once = normalise_email(text)
    assert once is None or normalise_email(once) == once


def test_the_domain_is_the_part_after_the_at_sign():
    assert email_domain("jane@mail.example.com") == "mail.example.com"


@pytest.mark.parametrize("domain", ["gmail.com", "web.de", "yahoo.co.jp", "austin.rr.com"])
def test_free_mail_domains_are_known(domain):
    assert is_free_mail(domain)


@pytest.mark.parametrize("domain", ["example.com", "ibm.com", "stanford.edu", "co.uk", "com"])
def test_other_domains_are_not_free_mail(domain):
    assert not is_free_mail(domain)


@pytest.mark.parametrize(
    ("email", "host", "kind"),
    [
        ("jane@gmail.com", "example.com", "private"),
        ("jane@gmail.com", None, "private"),
        ("jane@example.com", "example.com", "work"),
        ("jane@mail.example.com", "shop.example.com", "work"),
        ("jane@acme.co.uk", "other.co.uk", "unknown"),
        ("jane@example.com", None, "unknown"),
        ("jane@example.com", "example.org", "unknown"),
    ],
)
def test_the_type_follows_from_the_domains(email, host, kind):
    assert email_type(email, host) == kind
