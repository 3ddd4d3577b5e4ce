"""Templates of requests: texts with placeholders, whose values are escaped for where they stand."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, quote_plus

import msgspec
from msgspec import UNSET
from yarl import URL

from firmograph.kit.errors import Refused

Values = Mapping[str, str | None]
"""Value of each placeholder; None or an absent one stands for no value."""

_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)(\.[A-Za-z0-9_.\[\]]+)?\}")
ANSWER: Final = "answer"
"""Name of placeholders with a path in an earlier answer."""
_PRINTABLE: Final = re.compile(r"[\x21-\x7e]*")
_BASE: Final = re.compile(
    r"(https?)://[A-Za-z0-9._-]+(?::\d{1,5})?|(https?)://\[[0-9A-Fa-f:.]+\](?::\d{1,5})?"
)
_FIELD_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_IN_FIELDS: Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")
"""Characters of values that headers take as they are."""
_OWN_FIELDS: Final = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "idempotency-key")
)
_SECRET_FIELD: Final = re.compile(r"authorization|api[-_]?key|token|secret|password|cookie", re.IGNORECASE)
_DOTS: Final = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)


class Unaskable(ValueError):
    """Person without a value that the request cannot lack, or with one that cannot be written there."""


class Template:
    """Text with placeholders `{name}`, and `{answer.PATH}` for a value of an earlier answer."""

    def __init__(self, text: str, names: Collection[str], place: str) -> None:
        """Take the known names. Raises Refused for another placeholder."""
        self._parts: list[tuple[str, str]] = []
        """Plain texts, each with the placeholder behind it, or none."""
        at = 0
        for found in _PLACEHOLDER.finditer(text):
            name = found[0][1:-1]
            if found[1] not in names or bool(found[2]) != (found[1] == ANSWER):
                known = ", ".join(f"{{{each}}}" for each in [*sorted(set(names) - {ANSWER, "key"}), "key"])
                raise Refused(
                    f"{place}: {found[0]} is no placeholder; known are {known}, the last where key is set"
                )
            self._parts.append((text[at : found.start()], name))
            at = found.end()
        self._end = text[at:]
        self.names = frozenset(name for _, name in self._parts)
        self.is_single = len(self._parts) == 1 and not self._parts[0][0] and not self._end
        """Whether the text is one placeholder and nothing else."""

    def render(self, values: Values, escape: Callable[[str], str]) -> str | None:
        """Return the text; None if it is one placeholder without a value."""
        if self.is_single and not values.get(self._parts[0][1]):
            return None
        texts = (f"{plain}{escape(values.get(name) or '')}" for plain, name in self._parts)
        return "".join((*texts, self._end))


def _escape_part(value: str) -> str:
    return quote(value, safe="")


def _keep(value: str) -> str:
    return value


class Pairs:
    """Names with values, as in a query or form; a pair whose value is a placeholder without one is left out."""

    def __init__(self, text: str, names: Collection[str], place: str) -> None:
        self._pairs: list[tuple[str, str, Template]] = []
        for name, equals, value in (pair.partition("=") for pair in text.split("&") if pair):
            if _PLACEHOLDER.search(name):
                raise Refused(f"{place}: a placeholder stands in the value of a pair, name={{placeholder}}")
            _check_no_secret(name, value, place)
            self._pairs.append((name, equals, Template(value, names, place)))
        self.names = frozenset[str]().union(*(value.names for _, _, value in self._pairs))

    def render(self, values: Values, escape: Callable[[str], str]) -> str:
        rendered = ((name, equals, template.render(values, escape)) for name, equals, template in self._pairs)
        return "&".join(f"{name}{equals}{value}" for name, equals, value in rendered if value is not None)


class UrlTemplate:
    """URL with placeholders in its path and query."""

    def __init__(self, text: str, names: Collection[str], place: str, *, insecure: bool) -> None:
        """Create a template. Raises Refused for a URL that cannot be called, or plain http without `insecure`."""
        base = check_base(text, place, insecure=insecure)
        path, _, query = text.removeprefix(base).partition("?")
        self._base = base
        self._path = Template(path or "/", names, place)
        self._query = Pairs(query, names, place)
        self.required = self._path.names
        """Placeholders that need a value."""
        self.names = self._path.names | self._query.names

    def render(self, values: Values) -> URL:
        """Return the URL. Raises Unaskable."""
        if any(not values.get(name) for name in self.required):
            raise Unaskable
        path = self._path.render(values, _escape_part) or ""
        if any(_DOTS.fullmatch(segment) for segment in path.split("/")):
            raise Unaskable
        query = self._query.render(values, _escape_part)
        return URL(f"{self._base}{path}{'?' if query else ''}{query}", encoded=True)


def check_base(text: str, place: str, *, insecure: bool) -> str:
    """Return scheme, host and port of a URL. Raises Refused."""
    base = _BASE.match(text)
    rest = text[base.end() :] if base else ""
    if not base or (rest and rest[0] not in "/?") or "#" in text:
        raise Refused(
            f"{place}: must be a URL such as https://api.example.com/v1/people, without user name, placeholder in the"
            " host, and fragment"
        )
    if not _PRINTABLE.fullmatch(text):
        raise Refused(f"{place}: must be ASCII without blanks; write other characters percent-encoded")
    if (base[1] or base[2]) == "http" and not insecure:
        raise Refused(f"{place}: must begin with https://, or the provider needs insecure = true")
    try:
        valid = 0 < (URL(base[0]).port or 0) < 65_536
    except ValueError:
        valid = False
    if not valid:
        raise Refused(f"{place}: has no host and port that can be called")
    return base[0]


class Headers:
    """Header fields with placeholders; one that is a placeholder without a value is left out."""

    def __init__(self, given: Mapping[str, str], names: Collection[str], place: str) -> None:
        """Create a template. Raises Refused for a header that cannot be set, or a secret that is written out."""
        for name, text in given.items():
            if not _FIELD_NAME.fullmatch(name) or name.lower() in _OWN_FIELDS:
                raise Refused(f"{place}: {name} is no header that can be set")
            if not text.isascii() or not text.isprintable():
                raise Refused(f"{place}.{name}: must be printable ASCII")
            _check_no_secret(name, text, f"{place}.{name}")
        self._fields = {name: Template(text, names, f"{place}.{name}") for name, text in given.items()}
        self.names = frozenset[str]().union(*(field.names for field in self._fields.values()))
        self.given = frozenset(name.lower() for name in given)

    def render(self, values: Values) -> dict[str, str]:
        rendered = ((name, field.render(values, _escape_field)) for name, field in self._fields.items())
        return {name: value for name, value in rendered if value is not None}


def _check_no_secret(name: str, text: str, place: str) -> None:
    """Raise Refused if a value that is secret by its name is written out."""
    if _SECRET_FIELD.search(name) and not _PLACEHOLDER.search(text):
        raise Refused(f"{place}: write the secret {name} as {{key}}, and its variable or file as key")


def _escape_field(value: str) -> str:
    return quote(value, safe=_IN_FIELDS)


class Body:
    """Body of a request: JSON, given as a table or text, or a form `name={placeholder}&...`."""

    def __init__(self, given: dict[str, Any] | str, names: Collection[str], place: str) -> None:
        """Create a template. Raises Refused for text that is neither."""
        self._form: Pairs | None = None
        self._json: Any = None
        if isinstance(given, str) and not given.lstrip().startswith(("{", "[")):
            if not _PRINTABLE.fullmatch(given):
                raise Refused(
                    f"{place}: must be JSON, or a form like email={{email}} in ASCII without blanks"
                )
            self._form = Pairs(given, names, place)
            self.names = self._form.names
            self.content_type = "application/x-www-form-urlencoded"
            return
        self._json = _parse_json(_load_json(given, place) if isinstance(given, str) else given, names, place)
        self.names = frozenset(name for template in _templates(self._json) for name in template.names)
        self.content_type = "application/json"

    def render(self, values: Values) -> bytes:
        if self._form is not None:
            return self._form.render(values, quote_plus).encode()
        return msgspec.json.encode(_render_json(self._json, values))


def _load_json(text: str, place: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise Refused(
            f'{place}: is not JSON; placeholders stand within its texts, as in {{"email": "{{email}}"}}'
        ) from None


def _parse_json(value: Any, names: Collection[str], place: str) -> Any:
    if isinstance(value, dict):
        return {key: _parse_json(item, names, f"{place}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_parse_json(item, names, f"{place}[{at}]") for at, item in enumerate(value)]
    return Template(value, names, place) if isinstance(value, str) else value


def _templates(value: Any) -> Iterator[Template]:
    if isinstance(value, Template):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _templates(item)


def _render_json(value: Any, values: Values) -> Any:
    """Return the JSON value; members and items that are a placeholder without a value are left out."""
    if isinstance(value, dict):
        rendered = ((key, _render_json(item, values)) for key, item in value.items())
        return {key: item for key, item in rendered if item is not UNSET}
    if isinstance(value, list):
        return [item for each in value if (item := _render_json(each, values)) is not UNSET]
    if not isinstance(value, Template):
        return value
    text = value.render(values, _keep)
    return UNSET if text is None else text
