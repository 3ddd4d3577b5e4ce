"""Every setting, in one typed object: `FIRMOGRAPH_<NAME>` in the environment, or the default here."""

import os
import re
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Literal, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta

from firmograph.kit.errors import Refused

_PREFIX = "FIRMOGRAPH_"

_OTHERS = {"FIRMOGRAPH_WEBHOOK_SECRET"}
"""What stands for an option of one command."""
_OF_TESTS = "FIRMOGRAPH_TEST_"

_DAY = date | None
_AtLeastOne = Annotated[int, Meta(ge=1)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    database_url: str = "sqlite:///firmograph.db"
    """Where the data lives; the embedded file by default, or `postgresql+psycopg://...`."""
    redis_url: str = ""
    """Where several servers count rate limits together (`redis://...`); without it each counts its own."""
    nodes: _AtLeastOne = 1
    """How many servers share the accounts' limits while Redis is not there: each admits its part."""
    keys: str = ""
    """The key material itself (the JSON of a key file), in place of a file."""
    keys_file: str = ""
    """The key file; by default next to the embedded database, with its name and `.keys`."""
    can_reveal: Literal["names", "priced"] = "names"
    """The form of `canReveal`: names of data points, or `{field, credits}` objects.

    See docs/reference/lookups.md#has-and-canreveal.
    """
    max_body_bytes: _AtLeastOne = 1_048_576
    max_body_depth: _AtLeastOne = 32
    max_url_bytes: _AtLeastOne = 16_384
    max_header_bytes: _AtLeastOne = 65_536
    """The request line and all header fields together; trailers and extensions of chunks count too."""
    max_header_fields: _AtLeastOne = 200
    header_seconds: _AtLeastOne = 30
    """How long a client may take for the header of a request, and for the TLS handshake before it."""
    idle_seconds: _AtLeastOne = 75
    """How long a connection may stay open between two requests; a proxy must give it up sooner."""
    max_connections: Annotated[int, Meta(ge=0)] = 0
    """How many connections a process accepts; 0 is as many as its limit of open files allows."""
    reserved_files: Annotated[int, Meta(ge=0)] = 256
    """How many of its open files a process keeps for other things than connections."""
    address_share: _Share = 0.25
    """How many of the connections one address may have (IPv6: one /64); trusted proxies may have all."""
    match_threshold: _Share = 0.90
    """The score from 0 to 1 that a name-and-company match needs."""
    match_margin: _Share = 0.05
    """By how much the best match must beat the next one."""
    company_likeness: bool = True
    """Whether look-ups by name find a company by a name alike where no company has the name's key."""
    company_match_threshold: _Share = 0.94
    """The score from 0 to 1 that a company's name needs to be alike."""
    company_match_margin: _Share = 0.05
    """By how much the company most alike must beat the next one."""
    repeat_reveal_days: Annotated[int, Meta(ge=0)] = 0
    """For how many days a paid data point stays free; 0 is for ever (docs/reference/account.md#paid-units)."""
    idempotency_hours: _AtLeastOne = 24
    import_undo_days: _AtLeastOne = 30
    """For how many days an import can be taken back; then the rows that it replaced are removed."""
    waterfall_wait_seconds: Annotated[float, Meta(ge=0, le=30)] = 5.0
    """How long an enrich waits for other providers; then it answers with a job for the rest (docs/waterfall.md)."""
    plans_file: str = ""
    """A TOML file that overrides or adds plans and prices."""
    thresholds_file: str = ""
    """A TOML file that overrides when a change counts as a signal."""
    topics_file: str = ""
    """A TOML file of the topics that posts are read for, in place of the packaged ones."""
    personas_file: str = ""
    """A TOML file that overrides what makes a decision maker, potential champion or end user."""
    admin_api: bool = False
    """Serve `/admin`, for programs with an operator's key (`firmograph operator key create`); else it is 404."""
    workspace: bool = True
    """Serve the pages of accounts under `/workspace`; `false` serves none of them."""
    metrics_token: str = ""
    """When set, `/metrics` asks for it as a bearer token; otherwise it answers loopback only."""
    require_https: bool = True
    """Refuse plain HTTP from anywhere but this machine, unless a trusted proxy vouches for TLS."""
    trusted_proxies: str = ""
    """Addresses and networks, separated by commas, whose `X-Forwarded-Proto` is believed."""
    certificate_file: str = ""
    """The certificate (PEM, its chain below it) under which https is served; without it plain HTTP is."""
    key_file: str = ""
    """The key of the certificate (PEM); by default it stands in the certificate's file."""
    hsts_seconds: Annotated[int, Meta(ge=0)] = 0
    """For how long browsers keep to https at a server with a certificate of its own; 0 does not ask for it."""
    key_file_check: Literal["strict", "off"] = "strict"
    """Refuse key files, also that of the certificate, that every user of the machine can read; `off` accepts them."""
    search_engine: str = "memory"
    """The engine that answers prospecting; `memory` keeps the index in each server process."""
    search_folder: str = ""
    """Where the checkpoint of the search index lies; by default next to the embedded database."""
    lookalikes: bool = True
    """Answer lookalikes; `false` refuses them and keeps no similarity index."""
    public_url: Annotated[str, Meta(pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?\Z")] = "http://127.0.0.1:8000"
    """Where people reach this server with a browser: links in answers begin with it."""
    brand: Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,31}$")] = "Service"
    """The word in the headers of webhooks, `X-{brand}-Signature` (docs/reference/webhooks.md#delivery)."""
    allow_insecure_webhooks: bool = False
    """For development: webhooks may go to http:// URLs, and to this machine."""
    webhook_allowed_networks: str = ""
    """Networks, separated by commas, of internal receivers that webhooks may go to (`10.1.0.0/16`)."""
    webhook_ca_file: str = ""
    """Certificates (PEM) of authorities trusted in addition to the system's, for internal receivers."""
    webhook_retry_seconds: str = "1,5,25"
    """How long to wait before each retry of a delivery; after the last one its subscription is disabled."""
    webhook_require_acknowledgement: bool = False
    """Count a delivery as failed unless the receiver answers `{"received": true, "webhookId": ...}`."""
    webhook_max_signal_age: _AtLeastOne = 30
    """Days: older signals are detected, but webhooks do not tell of them."""
    webhook_max_subscriptions: _AtLeastOne = 10_000
    """How many subscriptions an account may have."""
    model_url: Annotated[str, Meta(pattern=r"^(https?://[^\s/?#]+(/[^\s?#]*)?)?\Z")] = ""
    """Base URL of an OpenAI-compatible endpoint that analyses conversations, such as `https://host/v1`."""
    model_name: str = ""
    """Name of the model there."""
    model_key_file: str = ""
    """File with the key of the endpoint, sent as a bearer token; none by default."""
    model_daily_tokens: Annotated[int, Meta(ge=0)] = 1_000_000
    """Tokens of the model that an account's conversations may use on a UTC day; then the local analyser works."""
    providers_file: str = ""
    """A TOML file of the providers that the waterfall may ask (docs/reference/providers-file.md)."""
    visit_confidence: _Share = 0.3
    """The confidence from 0 to 1 that the company of a website's session needs (docs/reference/visit-tracking.md)."""
    visit_reverse_dns: bool = False
    """Whether names of addresses may tell the companies of visitors (docs/reference/visit-tracking.md#reverse-dns)."""
    visit_warm_score: Annotated[int, Meta(ge=1, le=100)] = 34
    """Lowest score of website visits of the band `warm`."""
    visit_hot_score: Annotated[int, Meta(ge=1, le=100)] = 67
    """Lowest score of website visits of the band `hot`."""
    visit_cache_bytes: _AtLeastOne = 268_435_456
    """How much of the sessions of websites a server process keeps in memory, and as much of their companies."""
    retention_contact_days: Annotated[int, Meta(ge=0)] = 0
    """After how many days contacts go that complete imports of all their sources lack; 0 is never."""
    retention_conversation_days: Annotated[int, Meta(ge=0)] = 0
    """For how many days after their start conversations are kept, today not counted; 0 is for ever."""
    retention_visit_days: Annotated[int, Meta(ge=0)] = 0
    """For how many days website visits are kept, today not counted; 0 is for ever."""
    legacy_deprecated_since: date | None = None
    """The day since when legacy calls are deprecated: their answers then say so and name their successors."""
    legacy_sunset: date | None = None
    """The day after which legacy calls may end, for their answers to announce; nothing ends by itself."""
    legacy_prospecting_status: Literal[200, 201] = 200
    """The status of successes of the four legacy prospecting calls; clients met 201 at the original."""
    usage_push_authorization: str = ""
    """The header `Authorization` of `usage push`, such as `Bearer KEY`; none by default."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of the environment. Raises Refused naming the variable that does not fit."""
    environ = os.environ if environ is None else environ
    names = Settings.__struct_fields__
    given = {name: environ[_PREFIX + name.upper()] for name in names if _PREFIX + name.upper() in environ}
    kinds = get_type_hints(Settings)
    given = {name: text for name, text in given.items() if text or kinds[name] != _DAY}
    try:
        settings = msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$.")
        name = path.rstrip("`")
        raise Refused(f"{_PREFIX}{name.upper()}: {_needed(name, reason)}") from error
    since, sunset = settings.legacy_deprecated_since, settings.legacy_sunset
    if since is not None and sunset is not None and sunset < since:
        raise Refused(f"{_PREFIX}LEGACY_SUNSET: must not be before {_PREFIX}LEGACY_DEPRECATED_SINCE, {since}")
    return settings


class Misnamed(NamedTuple):
    """A variable that looks like a setting and is none."""

    variable: str
    nearest: str
    """The setting that is written most like it."""


def misnamed_settings(environ: Mapping[str, str] | None = None) -> list[Misnamed]:
    """Return variables that look like settings, without those of the tests."""
    environ = os.environ if environ is None else environ
    names = [_PREFIX + name.upper() for name in Settings.__struct_fields__]
    unknown = [
        name
        for name in environ
        if name.startswith(_PREFIX) and not name.startswith(_OF_TESTS) and name not in _OTHERS.union(names)
    ]
    return [Misnamed(name, get_close_matches(name, names, 1, cutoff=0.0)[0]) for name in sorted(unknown)]


_TEXTS = {
    "public_url": "must be an http:// or https:// URL without query and fragment",
    "model_url": "must be an http:// or https:// URL without query and fragment",
    "brand": "must be 1 to 32 letters, digits and hyphens that begin with a letter",
}
"""Valid values of the settings that have a pattern."""


def _needed(name: str, reason: str) -> str:
    """Describe a valid value of the setting, in place of the converter's text."""
    bound = re.search(r"([<>]=) (\S+)$", reason)
    if bound:
        return f"must be at {'least' if bound[1] == '>=' else 'most'} {float(bound[2]):g}"
    kind = get_type_hints(Settings)[name]
    if kind is bool:
        return "must be true or false"
    if kind in (int, float):
        return "must be a whole number" if kind is int else "must be a number"
    if kind is str:
        return _TEXTS[name]
    if kind == _DAY:
        return "must be a date, YYYY-MM-DD, or empty"
    return f"must be one of {', '.join(map(str, get_args(kind)))}"
