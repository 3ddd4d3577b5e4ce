"""Command group `firmograph privacy dnc` (docs/reference/do-not-call.md)."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from firmograph.cli.help_texts import examples
from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.ingest.do_not_call.service import DayCount, RegistryChange

app = typer.Typer(
    no_args_is_help=True, help="Telephone numbers that nobody may call: import, add, remove and count them."
)

Numbers = Annotated[
    list[str] | None, typer.Argument(metavar="NUMBER...", help="Telephone numbers with their country codes.")
]
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="A number a line, or CSV with a column `phone`.")
]
File = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A number a line, or CSV with a column `phone`.")
]
Country = Annotated[
    str, typer.Option(metavar="COUNTRY", help="Country of numbers without a country code, such as US.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("import", epilog=examples("firmograph privacy dnc import registry.txt --country US"))
def import_(files: Files, country: Country = "", json: Json = False) -> None:
    """Add the numbers of files, and mark the contacts that have them.

    At the end of the command they carry `doNotCall: true` in every answer, and `excludeDnc` leaves them out. Files
    with a line that is no number are refused as a whole. Running it again changes nothing.
    """
    _change("add", "privacy dnc import", _read_files(files, _country_code(country)), json=json)


@app.command(epilog=examples("firmograph privacy dnc add '+1 202 555 0101'"))
def add(numbers: Numbers = None, country: Country = "", json: Json = False) -> None:
    """Add numbers, and mark the contacts that have them."""
    if not numbers:
        raise Refused("Give a number, such as +12025550101; `firmograph privacy dnc import` reads files")
    _change("add", "privacy dnc add", _read_given(numbers, _country_code(country)), json=json)


@app.command(
    epilog=examples(
        "firmograph privacy dnc remove '+1 202 555 0101'", "firmograph privacy dnc remove --file lifted.txt"
    )
)
def remove(numbers: Numbers = None, file: File = None, country: Country = "", json: Json = False) -> None:
    """Remove numbers. A contact keeps the mark that a source of it states."""
    if bool(numbers) == (file is not None):
        raise Refused("Give either numbers, such as +12025550101, or --file")
    code = _country_code(country)
    given = _read_files([file], code) if file else _read_given(numbers or [], code)
    _change("remove", "privacy dnc remove", given, json=json)


@app.command("list", epilog=examples("firmograph privacy dnc list"))
def list_(json: Json = False) -> None:
    """Show how many numbers were added on each day. The numbers themselves are not stored."""
    from firmograph.cli.context import open_installation
    from firmograph.cli.output import Column, print_json, write_table
    from firmograph.ingest.do_not_call.service import DoNotCall

    counts = open_installation().get(DoNotCall).counts()
    if json:
        print_json([each._asdict() for each in counts])
        return
    columns: list[Column[DayCount]] = [
        Column("DAY", lambda one: one.day),
        Column("NUMBERS", lambda one: one.numbers),
    ]
    write_table(counts, columns, empty="The do-not-call registry is empty")


def _change(verb: str, action: str, numbers: Iterator[str], *, json: bool) -> None:
    from firmograph.cli.context import open_installation
    from firmograph.cli.import_run import print_waiting
    from firmograph.cli.output import plural, print_json
    from firmograph.cli.progress import count_progress
    from firmograph.cli.sentences import say
    from firmograph.ingest.do_not_call.service import DoNotCall

    registry = open_installation(creates=True).get(DoNotCall)
    change: Callable[..., RegistryChange] = registry.add if verb == "add" else registry.remove
    try:
        with count_progress("Marking contacts") as report:
            done = change(numbers, action, on_wait=print_waiting, on_progress=report)
    except KeyboardInterrupt:
        raise Refused("Interrupted; run the same command again to finish it") from None
    if json:
        result: dict[str, Any] = done._asdict()
        print_json(result)
        return
    what = "added" if verb == "add" else "removed"
    say(
        f"{done.changed:,} of {done.numbers:,} {plural(done.numbers, 'number')} {what};"
        f" {done.contacts:,} {plural(done.contacts, 'contact')} changed."
    )


def _read_files(files: list[Path], country: str) -> Iterator[str]:
    from firmograph.privacy.do_not_call.number_file import read_number_file

    return chain.from_iterable(read_number_file(path, country) for path in files)


def _read_given(numbers: list[str], country: str) -> Iterator[str]:
    from firmograph.privacy.do_not_call.number_file import read_number

    for number in numbers:
        try:
            yield read_number(number, country)
        except Refused as refusal:
            raise Refused(f"{number}: {refusal.message}; nothing was changed") from None


def _country_code(country: str) -> str:
    from firmograph.cli.import_run import make_read_options

    return make_read_options("", "", country=country).country
