"""Application of the pages: sessions, audiences, protection of forms, rendering and errors.

It stands next to the API's endpoints in the framework, with four threads of its own, so that pages never keep calls
waiting. Metrics, request ids and the rule about plain HTTP are those of the API.
"""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from time import perf_counter
from typing import Any, Final

import structlog
from litestar import Litestar, Request, Response
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.status_codes import HTTP_413_REQUEST_ENTITY_TOO_LARGE

from firmograph.accounts.memberships import Membership, list_memberships
from firmograph.api.https_policy import make_https_policy
from firmograph.api.metrics import Metrics
from firmograph.api.request import read_request_headers
from firmograph.api.response import new_request_id
from firmograph.api.thread_pool import ThreadPool
from firmograph.api.trusted_proxies import subscriber_network
from firmograph.billing.plans import Plans
from firmograph.installation import Installation
from firmograph.kit.errors import (
    BadRequest,
    FirmographError,
    Forbidden,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    Unauthorized,
)
from firmograph.logins.service import Sessions
from firmograph.logins.types import SessionState
from firmograph.workspace import AT, browser
from firmograph.workspace.answers import Answer, Download, HtmlPage, Redirect
from firmograph.workspace.rendering import SECURITY_HEADERS, render, static_files
from firmograph.workspace.route import MOST_BYTES, RANKS, Route
from firmograph.workspace.visit import Visit

log = structlog.get_logger("firmograph.workspace")

THREADS: Final = 4
_ENDPOINT: Final = "workspace"
"""Name of all pages in the metrics."""
_YEAR: Final = 31_536_000
_UNKNOWN: Final = "There is no such page"


class Workspace:
    """Pages of an installation."""

    def __init__(self, installation: Installation, routes: Sequence[Route]) -> None:
        self._installation = installation
        self._metrics = installation.get(Metrics)
        self._sessions = installation.get(Sessions)
        self._https = make_https_policy(installation.settings)
        self._threads = ThreadPool(THREADS)
        self._limits = browser.SessionLimits()
        self.app = Litestar(
            [*map(self._handler, routes), self._static_handler()],
            path=AT,
            exception_handlers={Exception: self._render_framework_error},
            openapi_config=None,
            logging_config=None,
            request_max_body_size=MOST_BYTES,
        )

    def close(self) -> None:
        """End the threads."""
        self._threads.close()

    # --- handlers ---

    def _handler(self, route: Route) -> HTTPRouteHandler:
        async def handle(request: "Request[Any, Any, Any]") -> "Response[bytes]":
            started, request_id = perf_counter(), new_request_id()
            seen: dict[str, Any] = {}
            try:
                form = await _read_form(request) if route.method == "POST" else {}
                response = await self._threads.run(
                    lambda: self._answer(route, request, request_id, form, seen)
                )
            except FirmographError as error:
                response = self._render_error(request, request_id, error, seen)
            except HTTPException:
                raise
            except Exception as error:
                log.exception("failed", request_id=request_id, exc_info=error)
                response = self._render_error(request, request_id, FirmographError(), seen)
            self._metrics.count_response(_ENDPOINT, response.status_code or 200, perf_counter() - started)
            return response

        return HTTPRouteHandler(route.path, http_method=[route.method], status_code=200)(handle)

    def _static_handler(self) -> HTTPRouteHandler:
        async def get_static(request: "Request[Any, Any, Any]") -> "Response[bytes]":
            found = static_files().get(str(request.path_params["name"]))
            if found is None:
                raise NotFound(_UNKNOWN)
            headers = {**SECURITY_HEADERS, "cache-control": f"public, max-age={_YEAR}, immutable"}
            return Response(found[0], media_type=found[1], headers=headers)

        return HTTPRouteHandler("/static/{name:str}", http_method=["GET"])(get_static)

    def _answer(
        self,
        route: Route,
        request: "Request[Any, Any, Any]",
        request_id: str,
        form: Mapping[str, Sequence[str]],
        seen: dict[str, Any],
    ) -> "Response[bytes]":
        """Admit a request or refuse it, and render what its page answers."""
        headers = read_request_headers(list(request.scope["headers"]))
        self._https.check(request.scope, headers)
        is_secure = self._https.is_encrypted(request.scope, headers)
        token = request.cookies.get(browser.cookie_name(is_secure), "")
        session = self._sessions.read(token) if token else None
        visit = self._visit(request, request_id, form, token if session else "", session)
        seen["visit"] = visit
        if session is not None:
            self._limits.take(token, visit.at)
        if route.method == "POST":
            self._check_change(request, visit, is_secure)
        answer = _refuse(route, visit, request) or route.function(visit)
        return self._render(answer, visit, is_secure)

    def _visit(
        self,
        request: "Request[Any, Any, Any]",
        request_id: str,
        form: Mapping[str, Sequence[str]],
        token: str,
        session: SessionState | None,
    ) -> Visit:
        memberships: Sequence[Membership] = ()
        chosen = plan = None
        if session is not None:
            memberships = list_memberships(self._installation.database.session(), session.login.email)
            chosen = next((one for one in memberships if one.account_id == session.account_id), None)
            plan = None if chosen is None else self._installation.get(Plans).find(chosen.plan)
        address = self._https.proxies.client(request.scope).address
        return Visit(
            installation=self._installation,
            request_id=request_id,
            at=self._installation.clock.seconds(),
            network=b"" if address is None else subscriber_network(ip_address(address)),
            parameters={name: str(value) for name, value in request.path_params.items()},
            query=dict(request.query_params),
            query_lists=request.query_params.dict(),
            form=form,
            token=token,
            session=session,
            memberships=memberships,
            chosen=chosen,
            plan=plan,
        )

    def _check_change(self, request: "Request[Any, Any, Any]", visit: Visit, is_secure: bool) -> None:
        """Raise Forbidden unless a page of this server, and of this session, sent the form."""
        origins = browser.own_origins(
            request.headers.get("host", ""), is_secure, self._installation.settings.public_url
        )
        browser.check_origin(request.headers, origins)
        if visit.token:
            browser.check_form_token(visit.token, visit.typed("form_token"))

    # --- rendering ---

    def _render(self, answer: Answer, visit: Visit, is_secure: bool) -> "Response[bytes]":
        headers = self._headers(visit.request_id)
        if isinstance(answer, Redirect):
            headers["location"] = answer.path
            if answer.session is not None:
                headers["set-cookie"] = browser.set_cookie(answer.session, is_secure)
            return Response(b"", status_code=303, headers=headers, media_type="text/plain")
        if isinstance(answer, Download):
            headers["content-disposition"] = f'attachment; filename="{answer.name}"'
            return Response(answer.content, status_code=200, headers=headers, media_type=answer.media_type)
        return self._page(answer, visit, headers)

    def _page(self, page: HtmlPage, visit: Visit | None, headers: dict[str, str]) -> "Response[bytes]":
        values = {**_common_values(visit, self._installation.settings.public_url), **page.values}
        return Response(
            render(page.template, values),
            status_code=page.status,
            headers=headers,
            media_type="text/html",
        )

    def _render_error(
        self,
        request: "Request[Any, Any, Any]",
        request_id: str,
        error: FirmographError,
        seen: Mapping[str, Any],
    ) -> "Response[bytes]":
        headers = {**self._headers(request_id), **error.headers()}
        # a page comes back by itself; a form is sent again by who sent it
        refresh = headers.get("retry-after") if request.method == "GET" and error.status == 503 else None
        values = {"error": error, "request_id": request_id, "refresh": refresh}
        page = HtmlPage("error.html", values, error.status)
        return self._page(page, seen.get("visit"), headers)

    def _render_framework_error(
        self, request: "Request[Any, Any, Any]", error: Exception
    ) -> "Response[bytes]":
        """Return the page of a request that reached no page's function: unknown path, wrong method, too large."""
        request_id, refusal = new_request_id(), _refusal(error)
        if refusal.status >= 500:
            log.error("failed", request_id=request_id, exc_info=error)
        self._metrics.count_response(_ENDPOINT, refusal.status, 0.0)
        return self._render_error(request, request_id, refusal, {})

    def _headers(self, request_id: str) -> dict[str, str]:
        return {**SECURITY_HEADERS, "cache-control": "no-store", "x-request-id": request_id}


def _refuse(route: Route, visit: Visit, request: "Request[Any, Any, Any]") -> Answer | None:
    """Return where a visitor has to go first, or None for one of the audience. Raises Forbidden."""
    if route.audience == "anybody":
        return None
    if visit.session is None:
        if route.method == "POST":
            raise Unauthorized("Your session has ended; sign in again. Nothing was changed")
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return HtmlPage("sign_in.html", {"next": browser.own_path(path), "email": "", "problem": ""}, 401)
    if route.audience == "login":
        return None
    if route.audience == "operator":
        if not visit.session.login.is_operator:
            raise Forbidden("This page is for operators of the service")
        return None
    if visit.chosen is None:
        return Redirect(f"{AT}/accounts")
    if RANKS[visit.chosen.role] < RANKS[route.audience]:
        raise Forbidden(
            f"This page is for users with the role {route.audience}; yours is {visit.chosen.role}"
        )
    return None


def _common_values(visit: Visit | None, public_url: str) -> dict[str, Any]:
    """Return what the frame of each page shows."""
    session = visit.session if visit else None
    return {
        "login": session.login if session else None,
        "membership": visit.chosen if visit else None,
        "public_url": public_url,
        "memberships": visit.memberships if visit else (),
        "rank": RANKS[visit.chosen.role] if visit and visit.chosen else 0,
        "form_token": browser.form_token(visit.token) if visit and visit.token else "",
    }


async def _read_form(request: "Request[Any, Any, Any]") -> dict[str, list[str]]:
    """Return the fields of a form. Raises BadRequest for a body that is none."""
    content_type = request.headers.get("content-type", "")
    if not content_type.startswith(("application/x-www-form-urlencoded", "multipart/form-data")):
        raise BadRequest("Send the form as a browser does")
    fields: dict[str, list[str]] = {}
    for name, value in (await request.form()).multi_items():
        fields.setdefault(name, []).append(value if isinstance(value, str) else "")
    return fields


def _refusal(error: Exception) -> FirmographError:
    if isinstance(error, FirmographError):
        return error
    if isinstance(error, HTTPException):
        if error.status_code == NotFound.status:
            return NotFound(_UNKNOWN)
        if error.status_code == MethodNotAllowed.status:
            return MethodNotAllowed((error.headers or {}).get("Allow", "GET").split(", "))
        if error.status_code == HTTP_413_REQUEST_ENTITY_TOO_LARGE:
            return PayloadTooLarge("The form is too large")
        if error.status_code < 500:
            return BadRequest()
    return FirmographError()
