"""Application: the endpoints and lifespans of all packages behind one dispatcher."""

from contextlib import AbstractAsyncContextManager
from datetime import UTC, date, datetime, time
from email.utils import format_datetime

import msgspec

from firmograph import __version__
from firmograph.accounts.authentication import ApiKeyAuthenticator
from firmograph.accounts.request_counts import RequestCounts
from firmograph.admin.authentication import OperatorAuthenticator
from firmograph.api import docs_and_health
from firmograph.api.application import Application
from firmograph.api.dispatch import Dispatcher
from firmograph.api.endpoint import Endpoint
from firmograph.api.https_policy import make_https_policy
from firmograph.api.metrics import Metrics
from firmograph.api.thread_pool import RequestThreads
from firmograph.bootstrap.background import build_background
from firmograph.installation import Installation
from firmograph.jobs.metrics import JobMetrics
from firmograph.kit.lifespans import running


def create_app(installation: Installation, *, background: bool = True) -> Application:
    """Build the application of an installation.

    `background` does the work of `firmograph worker` here as well, in threads.
    """
    metrics = installation.get(Metrics)
    servers = installation.servers
    for one in servers:
        one.metrics(installation)
    endpoints = _endpoints(installation, metrics)
    lifespans = [each for one in servers for each in one.lifespans(installation)]
    if background:
        lifespans += _background_lifespans(installation)
    threads = RequestThreads()
    lifespans.append(threads.running())
    mounts = {path: app for one in servers for path, app in one.mounts(installation).items()}
    return Application(endpoints, _make_dispatcher(installation, metrics), threads, lifespans, mounts)


def _endpoints(installation: Installation, metrics: Metrics) -> list[Endpoint]:
    settings, servers = installation.settings, installation.servers
    endpoints = [
        _announce_deprecation(each, settings.legacy_deprecated_since, settings.legacy_sunset)
        for one in servers
        for each in one.endpoints(installation)
    ]
    health = [one.health(installation) for one in servers if one.health]
    endpoints.append(docs_and_health.health_endpoint(__version__, health))
    endpoints += docs_and_health.docs_endpoints(
        endpoints,
        version=__version__,
        max_body_bytes=settings.max_body_bytes,
        start_page="/workspace" if settings.workspace else "/docs",
    )
    return [*endpoints, docs_and_health.metrics_endpoint(metrics, settings.metrics_token)]


def _make_dispatcher(installation: Installation, metrics: Metrics) -> Dispatcher:
    settings = installation.settings
    return Dispatcher(
        authenticator=installation.get(ApiKeyAuthenticator),
        clock=installation.clock,
        metrics=metrics,
        max_body_bytes=settings.max_body_bytes,
        max_body_depth=settings.max_body_depth,
        authenticates_remotely=not installation.database.embedded or bool(settings.redis_url),
        https_policy=make_https_policy(settings),
        count_request=installation.get(RequestCounts).count,
        operator_authenticator=installation.get(OperatorAuthenticator) if settings.admin_api else None,
    )


def _background_lifespans(installation: Installation) -> list[AbstractAsyncContextManager[object]]:
    background = build_background(installation, installation.get(JobMetrics).count_job)
    return [running(background.scheduler), *(running(each.worker) for each in background.work)]


def _announce_deprecation(endpoint: Endpoint, since: date | None, sunset: date | None) -> Endpoint:
    """Return a legacy endpoint with headers that say since when it is deprecated; others unchanged.

    `Deprecation` is RFC 9745, `Sunset` RFC 8594, the relation `successor-version` RFC 5829; days begin in UTC
    (docs/reference/legacy.md#deprecation).
    """
    if not endpoint.successor:
        return endpoint
    headers = list(endpoint.headers)
    if since is not None:
        headers.append((b"deprecation", b"@%d" % _start(since).timestamp()))
        headers.append((b"link", f'<{endpoint.successor}>; rel="successor-version"'.encode()))
    if sunset is not None:
        headers.append((b"sunset", format_datetime(_start(sunset), usegmt=True).encode()))
    return msgspec.structs.replace(endpoint, headers=tuple(headers))


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
