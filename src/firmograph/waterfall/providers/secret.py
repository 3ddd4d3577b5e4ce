"""Secrets of the providers file: names of variables or files, never the values themselves."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from firmograph.kit.errors import Refused

_PRINTABLE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_MOST_BYTES: Final = 8_192


class ProviderSecret:
    """ProviderSecret that no representation shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the value, for a request to its provider alone."""
        return self._value

    def __repr__(self) -> str:
        return "ProviderSecret(...)"


def load_secret(text: str, place: str, environ: Mapping[str, str] = os.environ) -> ProviderSecret:
    """Return the secret that `env:NAME` or `file:PATH` names, without surrounding blanks.

    Raises Refused with the place; the text is not repeated, as it may be the secret itself.
    """
    kind, colon, name = text.partition(":")
    if not colon or kind not in ("env", "file") or not name:
        raise Refused(f"{place}: must be env:NAME or file:PATH, never the secret itself")
    value = _read_variable(name, place, environ) if kind == "env" else _read_file(name, place)
    if not _PRINTABLE.fullmatch(value):
        raise Refused(f"{place}: the secret is empty, or not one line of printable ASCII")
    return ProviderSecret(value)


def _read_variable(name: str, place: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        # the name is not repeated, as it may be the secret after a wrong prefix
        raise Refused(f"{place}: the variable that it names is not set")
    return environ[name].strip()


def _read_file(name: str, place: str) -> str:
    try:
        with Path(name).open("rb") as file:
            return file.read(_MOST_BYTES).decode("ascii").strip()
    except OSError as error:
        raise Refused(f"{place}: {name} cannot be read: {error.strerror}") from None
    except ValueError:
        raise Refused(f"{place}: {name} is not one line of printable ASCII") from None
