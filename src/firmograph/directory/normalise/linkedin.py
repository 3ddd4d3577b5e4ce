"""Canonical slugs of LinkedIn pages of people and companies."""

import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote, unquote

from firmograph.directory.normalise.plain_text import plain_text

_HOST = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:|https?(?=//))?/*(?:[^/?#@]*@)?(?:[a-z0-9-]+\.)*linkedin\.(?:com|cn)(?::\d+)?(?=[/?#]|$)"
)
_FORBIDDEN = re.compile(r"[\s%/\\?#<>\"\x00-\x1f\x7f-\x9f\ufffd\ud800-\udfff]")
_PLAIN = re.compile(r"(?:in|company)/[a-z0-9_-]+", re.ASCII)
_USUAL = re.compile(r"https?://(?:[a-z]+\.)?linkedin\.com/((in|company)/[a-z0-9_-]{1,200})/?", re.ASCII)
_BEFORE_PAGE = re.compile(r"\A(?:(?:mwlite|comm|incareer)/|sales/(?=company/))")
"""Path prefix of the same page in links of e-mails, phones and sales tools."""
_OLD_ID = re.compile(r"([0-9a-f]{1,2})(?:/([0-9a-f]{1,3}))?(?:/([0-9a-f]{1,3}))?", re.ASCII)

_PAGES = {
    "in": "in",
    "pub": "in",
    "company": "company",
    "company-beta": "company",
    "school": "company",
    "showcase": "company",
}
_MEMBER_ID = re.compile(r"AC[a-z]AA[\w-]{6,}", re.ASCII)
_LOWERED_MEMBER_ID = re.compile(r"in/ac[a-z]aa[\w-]{34}", re.ASCII)
"""Of the usual length, because names of pages may have the same beginning."""
_MAX_SLUG = 200
_MAX_URL = 2048


def linkedin_slug(text: str, kind: str, *, bare: bool = True) -> str | None:
    """Return the canonical slug of a person's page (`kind` is `in`) or of an organisation's (`company`).

    `in/jane-doe` or `company/acme`: lower case, percent-decoded, NFC. Accepts all usual forms of the address (country
    and mobile hosts, old `/pub/` paths, a language or tab after the name, queries), and with `bare` also the path or
    name alone. Schools and showcases count as companies. None for everything else, including pages of the other kind
    and leads of Sales Navigator, which are no public pages.
    """
    usual = _USUAL.fullmatch(text)
    if usual is not None and usual[2] == kind:
        return usual[1]
    return _unusual(text, kind, bare) if len(text) <= _MAX_URL else None


@lru_cache(maxsize=16_384)
def _unusual(text: str, kind: str, bare: bool) -> str | None:
    text = plain_text(text).lower()
    host = _HOST.match(text)
    if host is None and not bare:
        return None
    path = re.split(r"[?#]", text[host.end() :] if host else text, maxsplit=1)[0].strip("/")
    if host or "/" in path:
        page, _, rest = _BEFORE_PAGE.sub("", path, count=1).partition("/")
        if _PAGES.get(page) != kind:
            return None
        name, _, tail = rest.lstrip("/").partition("/")
        return _canonical(kind, name) if page != "pub" else _old_profile(name, tail)
    # a bare name with a dot is more likely a web site
    return None if "." in path else _canonical(kind, path)


def is_member_id(slug: str, text: str) -> bool:
    """Return whether a canonical slug, read from this text, is a member's opaque id (`in/ACoAAB...`).

    Search and sales tools write such ids. They work only for signed-in users, so they are no public pages.
    """
    return slug.startswith("in/ac") and bool(_MEMBER_ID.search(text) or _LOWERED_MEMBER_ID.fullmatch(slug))


def _canonical(kind: str, name: str) -> str | None:
    name = unicodedata.normalize("NFC", unquote(name).lower())
    if not name or len(name) > _MAX_SLUG or name in (".", "..") or _FORBIDDEN.search(name):
        return None
    return f"{kind}/{name}"


def _old_profile(name: str, tail: str) -> str | None:
    """Return the slug of an old address: `/pub/jane-doe/1a/2b3/4c5` is `in/jane-doe-4c52b31a`.

    The site pads groups with zeros, also missing ones: `/pub/jane-doe/1/2/3` is `in/jane-doe-00300201`.
    """
    if not tail:
        return None if name == "dir" else _canonical("in", name)
    groups = _OLD_ID.fullmatch(tail)
    if groups is None:
        return None
    first, second, third = groups.groups(default="")
    return _canonical("in", f"{name}-{third:0>3}{second:0>3}{first:0>2}")


def linkedin_url(slug: str) -> str:
    """Return the full address of a canonical slug, the inverse of `linkedin_slug`."""
    return "https://www.linkedin.com/" + (slug if _PLAIN.fullmatch(slug) else quote(slug))
