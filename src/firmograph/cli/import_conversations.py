"""Command `firmograph import conversations` (docs/reference/conversations.md#import)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.import_run import (
    DEFAULT_SOURCE,
    DryRun,
    Encoding,
    ImportHooks,
    ImportRequest,
    Json,
    Rejects,
    Source,
    check_source,
    print_waiting,
    run_import,
)
from firmograph.cli.import_summary import FileForm
from firmograph.cli.losses import EXIT_CODES
from firmograph.kit.errors import Refused
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.conversations.reading.files import ReadingOptions
    from firmograph.ingest.summary import Summary
    from firmograph.installation import Installation

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="WebVTT, SRT, JSON of Gong, Fireflies, Deepgram or Whisper, or JSON Lines in the native form.",
    ),
]
Account = Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")]
Title = Annotated[str, typer.Option(metavar="TEXT", help="Title, for a single conversation.")]
StartedAt = Annotated[
    str, typer.Option(metavar="TIME", help="Start, such as 2026-03-31T14:00:00Z, for a single conversation.")
]
GivenParticipants = Annotated[
    list[str] | None,
    typer.Option(
        "--participant", metavar="PERSON", help='Participant, "Jane Doe <jane@acme.com>"; repeat it.'
    ),
]
CompanyDomain = Annotated[str, typer.Option(metavar="DOMAIN", help="Domain of the customer's company.")]
Redact = Annotated[
    bool, typer.Option("--redact", help="Mask card numbers, e-mail addresses and telephone numbers.")
]
_EXAMPLES: Final = examples(
    'firmograph import conversations --account acme call.vtt --title "Demo" --started-at 2026-03-31T14:00:00Z',
    "firmograph import conversations --account acme --source gong calls.jsonl",
    after=EXIT_CODES,
)


def conversations(
    files: Files,
    account: Account,
    source: Source = DEFAULT_SOURCE,
    title: Title = "",
    started_at: StartedAt = "",
    participant: GivenParticipants = None,
    company_domain: CompanyDomain = "",
    redact: Redact = False,
    encoding: Encoding = "",
    rejects: Rejects = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load conversations of an account. The same file again changes nothing; other content replaces a conversation."""
    from firmograph.cli.context import open_account
    from firmograph.conversations.importing import ConversationImport

    options = _options(files, title, started_at, participant or [], company_domain, encoding)
    options = options._replace(redacts=redact)
    request = ImportRequest(files, check_source(source), rejects, False, dry_run, json)
    settings = load_settings()
    for path in files:
        if not path.is_file():
            raise Refused(f"{path} is no file")
    # before an import creates a database that has no accounts
    with open_account(account, settings) as (_, account_id):
        pass

    def import_(installation: "Installation", hooks: ImportHooks) -> "Summary":
        importer = ConversationImport(
            installation.database,
            installation.clock,
            installation.digests,
            account_id,
            request.source,
            print_waiting,
        )
        return importer.run(files, options, *hooks)

    run_import(settings, request, import_, [FileForm("", "")] * len(files))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("conversations", epilog=_EXAMPLES)(conversations)


def _options(
    files: list[Path],
    title: str,
    started_at: str,
    participants: list[str],
    company_domain: str,
    encoding: str,
) -> "ReadingOptions":
    """Return the options of reading. Raises Refused for invalid ones."""
    from firmograph.conversations.reading.files import ReadingOptions
    from firmograph.conversations.reading.metadata import (
        Metadata,
        TranscriptError,
        one_line,
        read_participants,
        read_time,
    )
    from firmograph.directory.normalise.domains import host_of
    from firmograph.ingest.reading.encodings import resolve_encoding

    if len(files) > 1 and (title or started_at):
        raise Refused(
            "--title and --started-at are for a single conversation; write those of several to files FILE.meta.json"
        )
    domain = host_of(company_domain) if company_domain else ""
    if domain is None:
        raise Refused(f"{company_domain!r} is no domain; give --company-domain one such as acme.com")
    try:
        start = read_time(started_at)
    except TranscriptError:
        raise Refused(
            f"{started_at!r} is no date and time; give --started-at one such as 2026-03-31T14:00:00Z"
        ) from None
    given = Metadata(
        title=one_line(title),
        started_at=start,
        participants=read_participants(participants),
        company_domain=domain,
    )
    return ReadingOptions(given, encoding=resolve_encoding(encoding) if encoding else "")
