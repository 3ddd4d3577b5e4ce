"""Provider with an HTTP API of any form: templates for requests, JMESPath for answers, and polling if it takes time."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import jmespath
from jmespath.exceptions import JMESPathError

from firmograph.ingest.reading.conversion import whole_number_text
from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.waterfall.providers.exchange import NOT_JSON, Answer, Exchange, decode_json
from firmograph.waterfall.providers.file_shapes import HttpTable, PollTable
from firmograph.waterfall.providers.provider import NO_VALUE, ProviderTraits, found_values
from firmograph.waterfall.providers.secret import ProviderSecret
from firmograph.waterfall.providers.templates import ANSWER, Body, Headers, Unaskable, UrlTemplate, Values
from firmograph.waterfall.providers.types import DataPoint, Found, Miss, Person, Trouble

PERSON: Final = ("email", "first_name", "last_name", "company", "domain", "linkedin_url")
"""Placeholders of the person."""
_NAMES: Final = frozenset((*PERSON, "data_point", "key"))
_UNASKABLE: Final = Miss("too little known of the person")


class HttpProvider(ProviderTraits):
    def __init__(
        self, name: str, table: HttpTable, secret: ProviderSecret | None, clock: Clock, place: str
    ) -> None:
        """Create a provider. Raises Refused with the place of a key that does not fit."""
        super().__init__(name, table)
        names = _NAMES if secret else _NAMES - {"key"}
        request = table.request
        self._url = UrlTemplate(table.url, names, f"{place}.url", insecure=table.insecure)
        self._headers = Headers(request.headers, names, f"{place}.request.headers")
        self._body = None if request.body is None else Body(request.body, names, f"{place}.request.body")
        self._method = request.method or ("GET" if self._body is None else "POST")
        if self._body is not None and self._method == "GET":
            raise Refused(f"{place}.request.body: a GET has none; set method to POST or PUT")
        self._used = self._url.names | self._headers.names | (self._body.names if self._body else frozenset())
        if secret and "key" not in self._used:
            raise Refused(f"{place}.key: nothing sends it; write {{key}} into a header, the URL or the body")
        if not self._used.intersection(PERSON):
            raise Refused(f"{place}: the request names no person; write a placeholder such as {{email}}")
        self._response = _Expressions(table, f"{place}.response")
        self._poll = _Poll(table.poll, names, f"{place}.poll", table.insecure) if table.poll else None
        self._secret = secret
        self._exchange = Exchange(name, table, clock, place)

    def can_ask(self, person: Person, data_point: DataPoint) -> bool:
        """Return whether the provider has the data point, and the request a value for what identifies a person."""
        values = _person_values(person)
        there = {name for name in self._used if values.get(name)}
        identified = there & {"email", "linkedin_url"} or (
            {"first_name", "last_name"} <= there and there & {"company", "domain"}
        )
        needed = self._url.required.intersection(PERSON)
        return bool(identified) and needed <= there and self._response.has(data_point)

    async def ask(self, person: Person, data_point: DataPoint, key: str) -> Found | Miss | Trouble:
        secret = self._secret.reveal() if self._secret else None
        values = {**_person_values(person), "data_point": data_point, "key": secret}
        try:
            url, headers = self._url.render(values), self._headers.render(values)
            body = self._body.render(values) if self._body else None
        except ValueError:
            return _UNASKABLE
        request_headers = {**headers, "Idempotency-Key": key}
        if self._body and "content-type" not in self._headers.given:
            request_headers["Content-Type"] = self._body.content_type
        content = _decoded(await self._exchange.send(self._method, url, request_headers, body))
        if self._poll and not isinstance(content, Miss | Trouble):
            content = await self._poll.wait(self._exchange, content, values, headers)
        if isinstance(content, Miss | Trouble):
            return content
        return self._response.read(content, data_point)

    async def close(self) -> None:
        await self._exchange.close()


class _Expressions:
    """JMESPath of the values in an answer."""

    def __init__(self, table: HttpTable, place: str) -> None:
        given = table.response
        if given.emails is None and given.phones is None:
            raise Refused(f"{place}: needs emails or phones, a JMESPath")
        self._points = {
            point: compile_expression(text, f"{place}.{point}")
            for point, text in (("emails", given.emails), ("phones", given.phones))
            if text is not None
        }
        self._first = _optional_expression(given.first_name, f"{place}.first_name")
        self._last = _optional_expression(given.last_name, f"{place}.last_name")

    def has(self, data_point: DataPoint) -> bool:
        return data_point in self._points

    def read(self, content: Any, data_point: DataPoint) -> Found | Miss:
        if data_point not in self._points:
            return NO_VALUE
        found = _search(self._points[data_point], content)
        values = found if isinstance(found, list) else [found]
        return found_values(data_point, values, _search(self._first, content), _search(self._last, content))


class _Poll:
    """Second step of an ask: the answer is asked for until it is done."""

    def __init__(self, table: PollTable, names: frozenset[str], place: str, insecure: bool) -> None:
        self._url = UrlTemplate(table.url, names | {ANSWER}, f"{place}.url", insecure=insecure)
        self._done = compile_expression(table.done, f"{place}.done")
        self._every = table.every_seconds
        self._at_most = table.at_most_seconds
        self._paths = {
            name: compile_expression(name.removeprefix(f"{ANSWER}."), f"{place}.url")
            for name in self._url.names
            if name.startswith(f"{ANSWER}.")
        }

    async def wait(self, exchange: Exchange, content: Any, values: Values, headers: Mapping[str, str]) -> Any:
        """Return the content of the answer that is done, at first the given one; a miss or trouble otherwise."""
        if _search(self._done, content):
            return content
        answered = {name: _as_text(_search(path, content)) for name, path in self._paths.items()}
        try:
            url = self._url.render({**values, **answered})
        except Unaskable:
            return Trouble("answer names nothing to poll")
        try:
            async with asyncio.timeout(self._at_most):
                while True:
                    await asyncio.sleep(self._every)
                    answer = await exchange.send("GET", url, headers)
                    if isinstance(answer, Miss):
                        # it is about the second step, not about the person
                        return Trouble("request refused")
                    content = _decoded(answer)
                    # an empty answer says nothing yet
                    if content is not NO_VALUE and (
                        isinstance(content, Trouble) or _search(self._done, content)
                    ):
                        return content
        except TimeoutError:
            return Trouble("not done in time")


def compile_expression(text: str, place: str) -> Any:
    """Return a compiled JMESPath. Raises Refused with the place."""
    try:
        return jmespath.compile(text)
    except (JMESPathError, RecursionError):
        raise Refused(f"{place}: is no JMESPath (https://jmespath.org)") from None


def _optional_expression(text: str | None, place: str) -> Any:
    return None if text is None else compile_expression(text, place)


def _search(expression: Any, content: Any) -> Any:
    """Return the value of an expression; None where it does not fit the content."""
    if expression is None:
        return None
    try:
        return expression.search(content)
    except (
        JMESPathError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ):
        # functions of the library fail in ways of their own on values of other types
        return None


def _decoded(answer: Answer | Miss | Trouble) -> Any:
    if not isinstance(answer, Answer):
        return answer
    if not answer.body.strip():
        return NO_VALUE
    try:
        return decode_json(answer.body)
    except ValueError:
        return NOT_JSON


def _as_text(value: object) -> str | None:
    return value if isinstance(value, str) else whole_number_text(value)


def _person_values(person: Person) -> dict[str, str | None]:
    return {name: getattr(person, name) for name in PERSON}
