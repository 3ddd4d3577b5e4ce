"""Commands `firmograph conversations` (docs/reference/conversations.md#commands)."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.output import hint, note, plural, print_json
from firmograph.kit.errors import Refused

if TYPE_CHECKING:
    from firmograph.conversations.administration import ConversationAdministration
    from firmograph.installation import Installation

app = typer.Typer(
    no_args_is_help=True, help="Conversations of an account: their state, transcripts, analyses and speakers."
)

Account = Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="Id of the conversation.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_ID: Final = "7e5f0e6a-2f3d-8c1b-9a4e-1f2d3c4b5a69"


class AnalyserChoice(StrEnum):
    LOCAL = "local"
    MODEL = "model"


class TranscriptFile(StrEnum):
    VTT = "vtt"
    SRT = "srt"
    TXT = "txt"


class _Opened(NamedTuple):
    installation: "Installation"
    conversations: "ConversationAdministration"
    account_id: int


@contextmanager
def _open(account: str) -> Iterator[_Opened]:
    """Open the installation for an account. Raises Refused for an unknown one."""
    from firmograph.cli.context import open_account
    from firmograph.conversations.administration import ConversationAdministration

    with open_account(account) as (installation, account_id):
        yield _Opened(installation, installation.get(ConversationAdministration), account_id)


@app.command("list", epilog=examples("firmograph conversations list --account acme"))
def list_conversations(
    account: Account,
    limit: Annotated[int, typer.Option(min=1, help="How many to list, the newest first.")] = 50,
    json: Json = False,
) -> None:
    """List conversations with their state, and the reason where an analysis failed."""
    from firmograph.cli.conversations.output import listed_json, write_list

    with _open(account) as opened:
        found, total = opened.conversations.newest(opened.account_id, limit)
    if json:
        print_json({"conversations": [listed_json(one) for one in found], "total": total})
        return
    write_list(found)
    if total > len(found):
        note(f"{total - len(found):,} more", "list them with --limit")


@app.command(epilog=examples(f"firmograph conversations show {_ID} --account acme"))
def show(conversation_id: Id, account: Account, json: Json = False) -> None:
    """Show a conversation with its analysis."""
    from firmograph.cli.conversations.output import shown_json, write_conversation

    with _open(account) as opened:
        shown = opened.conversations.show(opened.account_id, conversation_id)
    if json:
        print_json(shown_json(shown))
    else:
        write_conversation(shown)


@app.command(epilog=examples(f"firmograph conversations export {_ID} --account acme call.vtt"))
def export(
    conversation_id: Id,
    account: Account,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="File to write; standard output without it.")
    ] = None,
    form: Annotated[
        TranscriptFile | None, typer.Option("--format", help="By default that of the file's name, or txt.")
    ] = None,
) -> None:
    """Write the transcript as WebVTT, SRT or text."""
    from firmograph.cli.conversations.output import write_captions
    from firmograph.cli.output import open_output

    chosen = form or _form_of(file)
    with _open(account) as opened:
        transcript = opened.conversations.transcript(opened.account_id, conversation_id)
    with open_output(file) as out:
        out.write(write_captions(transcript, chosen.value))


def _form_of(file: Path | None) -> TranscriptFile:
    """Return the format of a file's name, else text."""
    ending = file.suffix.lower().removeprefix(".") if file else ""
    return TranscriptFile(ending) if ending in {each.value for each in TranscriptFile} else TranscriptFile.TXT


@app.command(
    epilog=examples(
        f"firmograph conversations analyse {_ID} --account acme",
        "firmograph conversations analyse --failed --account acme",
    )
)
def analyse(
    account: Account,
    conversation_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Ids of conversations.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="All whose analysis has failed.")] = False,
) -> None:
    """Analyse conversations again, by the worker; the old analysis stays until the new one is done."""
    if bool(conversation_ids) == failed:
        raise typer.BadParameter("give either ids or --failed")
    with _open(account) as opened:
        count = opened.conversations.analyse(opened.account_id, None if failed else conversation_ids)
    note(f"{count:,} {plural(count, 'conversation')} will be analysed by the worker")
    if count:
        hint("Without `serve` or `worker`, run: firmograph worker --once")


@app.command(epilog=examples("firmograph conversations analyser model --account acme"))
def analyser(
    choice: Annotated[AnalyserChoice, typer.Argument(metavar="local|model", help="Analyser to use.")],
    account: Account,
) -> None:
    """Choose the analyser of an account: local, or the model of FIRMOGRAPH_MODEL_URL, which is sent transcripts."""
    with _open(account) as opened:
        if choice is AnalyserChoice.MODEL and not opened.installation.settings.model_url:
            raise Refused("There is no model: set FIRMOGRAPH_MODEL_URL and FIRMOGRAPH_MODEL_NAME first")
        opened.conversations.set_analyser(opened.account_id, choice.value)
    note(f"New analyses are made by the {choice.value} analyser")


@app.command(
    epilog=examples(
        f"firmograph conversations speakers {_ID} --account acme",
        f'firmograph conversations speakers {_ID} --account acme --name "Speaker 1=Jane Doe"',
    )
)
def speakers(
    conversation_id: Id,
    account: Account,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="SPEAKER=NAME", help="Name of a speaker; repeat it."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the speakers of a conversation, or give them names, which stay through another import."""
    from firmograph.cli.conversations.output import speakers_of, write_speakers

    given = dict(_pair(one, "--name") for one in names or ())
    with _open(account) as opened:
        if given:
            transcript = opened.conversations.name_speakers(opened.account_id, conversation_id, given)
        else:
            transcript = opened.conversations.transcript(opened.account_id, conversation_id)
    found = speakers_of(transcript)
    if json:
        print_json({"speakers": [one._asdict() for one in found]})
    else:
        write_speakers(found)


@app.command(
    epilog=examples(
        "firmograph conversations competitors --account acme",
        'firmograph conversations competitors --account acme --add "Initech=ITech,Ini Tech" --remove Hooli',
    )
)
def competitors(
    account: Account,
    added: Annotated[
        list[str] | None,
        typer.Option("--add", metavar="NAME[=ALIAS,...]", help="Competitor with other names; repeat it."),
    ] = None,
    removed: Annotated[
        list[str] | None, typer.Option("--remove", metavar="NAME", help="Competitor to remove; repeat it.")
    ] = None,
    json: Json = False,
) -> None:
    """Show or change the competitors that analyses look for, besides those held of the account's company."""
    from firmograph.cli.conversations.output import write_competitors

    names = {
        name.strip(): [alias.strip() for alias in aliases.split(",") if alias.strip()]
        for name, _, aliases in (one.partition("=") for one in added or ())
    }
    with _open(account) as opened:
        if names or removed:
            settings = opened.conversations.change_competitors(opened.account_id, names, removed or ())
        else:
            settings = opened.conversations.settings(opened.account_id)
    if json:
        print_json({"competitors": settings.competitors})
    else:
        write_competitors(settings.competitors)


@app.command(
    epilog=examples(
        f"firmograph conversations delete {_ID} --account acme",
        "firmograph conversations delete --all --source gong --account acme --yes",
    )
)
def delete(
    account: Account,
    conversation_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Ids of conversations.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All conversations of the account.")] = False,
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --all: those of one source alone.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete conversations with their transcripts and analyses, for good."""
    from firmograph.cli.context import clear_remains

    if bool(conversation_ids) == every or (source is not None and not every):
        raise typer.BadParameter("give either ids or --all; --source goes with --all")
    with _open(account) as opened:
        _confirm(conversation_ids or (), opened, source, yes=yes)
        if every:
            count = opened.conversations.delete_all(opened.account_id, source)
        else:
            count = opened.conversations.delete(opened.account_id, conversation_ids or [])
        clear_remains(opened.installation.database)
    note(f"{count:,} {plural(count, 'conversation')} deleted")


def _confirm(ids: Sequence[str], opened: _Opened, source: str | None, *, yes: bool) -> None:
    """Ask on a terminal before a deletion."""
    if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    count = len(ids) or opened.conversations.newest(opened.account_id, 1)[1]
    of_source = f" of the source {source!r}" if source else ""
    what = f"up to {count:,} conversations{of_source}" if not ids else f"{count:,} conversations"
    typer.confirm(f"Delete {what} for good?", abort=True, err=True)


def _pair(text: str, option: str) -> tuple[str, str]:
    """Return the two sides of `SPEAKER=NAME`. Raises BadParameter."""
    speaker, sign, name = text.rpartition("=")
    if not sign or not name.strip():
        raise typer.BadParameter(f"{text!r} is not SPEAKER=NAME", param_hint=option)
    return speaker.strip(), " ".join(name.split())
