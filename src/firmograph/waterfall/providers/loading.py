"""Loading of the providers file, which the start of a server refuses with the place of what does not fit."""

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from firmograph.kit.clock import Clock
from firmograph.kit.errors import Refused
from firmograph.kit.toml_file import read_toml_file
from firmograph.settings import Settings
from firmograph.waterfall.providers.file_provider import FileProvider
from firmograph.waterfall.providers.file_shapes import TABLES, FileTable, FirmographTable, convert_table
from firmograph.waterfall.providers.firmograph_provider import FirmographProvider
from firmograph.waterfall.providers.http_provider import HttpProvider
from firmograph.waterfall.providers.secret import load_secret

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
LoadedProvider = FirmographProvider | HttpProvider | FileProvider


class LoadedProviders:
    """Providers of the file; their connections belong to the event loop that asks first."""

    def __init__(self, providers: Mapping[str, LoadedProvider]) -> None:
        self._providers = dict(providers)

    def get(self, name: str) -> LoadedProvider | None:
        return self._providers.get(name)

    def names(self) -> Sequence[str]:
        """Return the names in the order of the file."""
        return list(self._providers)

    async def close(self) -> None:
        await asyncio.gather(*(provider.close() for provider in self._providers.values()))


def load_providers(
    settings: Settings, clock: Clock, environ: Mapping[str, str] = os.environ
) -> LoadedProviders:
    """Load the providers of the file of the setting, none without one.

    Raises Refused with the file, table and key of what does not fit, and what was expected; never with a secret.
    """
    if not settings.providers_file:
        return LoadedProviders({})
    file = read_toml_file(settings.providers_file, "providers file")
    try:
        tables = _provider_tables(file)
        return LoadedProviders(
            {name: _load(name, table, settings, clock, environ) for name, table in tables.items()}
        )
    except Refused as error:
        raise Refused(f"The providers file {settings.providers_file}: {error.message}") from None


def _provider_tables(file: Mapping[str, Any]) -> dict[str, Any]:
    for name in file:
        if name != "providers":
            raise Refused(f"{name}: is no key of this file; each provider is a table [providers.NAME]")
    return convert_table(file.get("providers", {}), dict[str, Any], "providers")


def _load(
    name: str, given: Any, settings: Settings, clock: Clock, environ: Mapping[str, str]
) -> LoadedProvider:
    place = f"providers.{name}"
    if not _NAME.fullmatch(name):
        raise Refused(f"{place}: a name has 1 to 40 of a-z, 0-9, - and _, and begins with a letter or digit")
    if name == settings.brand.lower():
        raise Refused(f"{place}: is the brand, which stands for own data; choose another name")
    kind = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in TABLES:
        raise Refused(f"{place}.kind: must be one of {', '.join(TABLES)}")
    table = convert_table(given, TABLES[kind], place)
    if isinstance(table, FileTable):
        return FileProvider(name, table, place)
    secret = load_secret(table.key, f"{place}.key", environ) if table.key else None
    if isinstance(table, FirmographTable):
        return FirmographProvider(name, table, secret, clock, place)
    return HttpProvider(name, table, secret, clock, place)
