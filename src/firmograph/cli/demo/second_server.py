"""Second server of the demonstration, which asks the first for what its people lack, and forgets one of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from firmograph.cli.demo.data_files import WITHOUT_PHONES, unpack
from firmograph.cli.demo.server import DemoServer, running_server
from firmograph.cli.demo.terminal import Commands, console, print_command, print_result, print_step
from firmograph.kit.errors import Refused

_ACCOUNT: Final = "second"
_EMAIL: Final = "jane.example@northwind.example.com"
"""Address of the person, who is made up."""
_CREDITS: Final = 100
_PROVIDER: Final = "first"
_PROVIDERS: Final = """\
[providers.{name}]
kind = "firmograph"
url = "{url}"
insecure = true
key = "file:{key}"
prices = {{phones = 8}}
"""


def show_second_server(first: DemoServer, key: str) -> None:
    """Show a waterfall from a second server to the first, which the key pays, and an erasure at the second."""
    print_step("The data waterfall: a second server, whose people have no phones, asks the first for one")
    with TemporaryDirectory(prefix="firmograph-demo-") as made:
        folder = Path(made)
        commands = Commands(folder / "second.db")
        path = str(unpack(WITHOUT_PHONES, folder))
        commands.run("import", WITHOUT_PHONES.kind, path, "--source", WITHOUT_PHONES.source)
        commands.run("account", "create", _ACCOUNT, "--credits", str(_CREDITS))
        own_key = str(commands.answer("key", "create", "--account", _ACCOUNT)["apiKey"])
        with _providers(folder, first.base, key):
            commands.run("waterfall", "enable", _PROVIDER, "--account", _ACCOUNT)
            with running_server(commands, 0) as second:
                _enrich(second, own_key)
                commands.run("waterfall", "report", "--account", _ACCOUNT)
                _erase(commands)


@contextmanager
def _providers(folder: Path, url: str, key: str) -> Iterator[None]:
    """Write a providers file with the first server, and set it for commands and servers of the block."""
    key_file, file = folder / "first.key", folder / "providers.toml"
    key_file.write_text(key)
    file.write_text(_PROVIDERS.format(name=_PROVIDER, url=url, key=key_file))
    print_command(f"cat {file}")
    console.print(file.read_text(), highlight=False, soft_wrap=True, markup=False, end="")
    print_command(f"export FIRMOGRAPH_PROVIDERS_FILE={file}")
    os.environ["FIRMOGRAPH_PROVIDERS_FILE"] = str(file)
    try:
        yield
    finally:
        del os.environ["FIRMOGRAPH_PROVIDERS_FILE"]


def _enrich(second: DemoServer, key: str) -> None:
    print_result(f"SECOND_KEY={key}")
    found = second.call(key, "/v3/contacts/search", {"contacts": [{"email": _EMAIL}]}, "SECOND_KEY")
    body = {"ids": [one["id"] for one in found["results"]], "reveal": ["phones"]}
    enriched = second.call(key, "/v3/contacts/enrich", body, "SECOND_KEY")
    if enriched["status"] != "completed":
        raise Refused("The first server did not answer the second in time; see above")
    (person,) = enriched["results"]
    numbers = ", ".join(phone["number"] for phone in person["phones"])
    # the credits of a data point stand at its first value
    first = person["phones"][0]
    source, credits = first["dataSource"], first["credits"]
    print_result(f"{numbers}, from the provider [bold]{source}[/bold] for [bold]{credits}[/bold] credits")


def _erase(commands: Commands) -> None:
    print_step("The right to be forgotten: the second server finds all it holds of the person, and erases it")
    commands.run("privacy", "find", "--email", _EMAIL)
    commands.run("privacy", "erase", "--email", _EMAIL, "--yes")
    commands.run("privacy", "find", "--email", _EMAIL)
