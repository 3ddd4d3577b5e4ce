"""Command `firmograph import visits` (docs/reference/visit-tracking.md#import)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from firmograph.cli.help_texts import examples
from firmograph.cli.import_run import (
    DryRun,
    ImportHooks,
    ImportRequest,
    Json,
    Rejects,
    print_waiting,
    run_import,
)
from firmograph.cli.import_summary import FileForm
from firmograph.cli.losses import EXIT_CODES
from firmograph.settings import load_settings

if TYPE_CHECKING:
    from firmograph.ingest.summary import Summary
    from firmograph.installation import Installation

VisitFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Access logs in combined format, or JSON Lines of page views; plain, gzipped or in a ZIP.",
    ),
]
SiteAccount = Annotated[str, typer.Option("--account", metavar="NAME", help="Account, by name or id.")]
SiteDomain = Annotated[
    str, typer.Option("--domain", metavar="DOMAIN", help="Tracked domain whose page views these are.")
]
_EXAMPLES: Final = examples(
    "firmograph import visits --account acme --domain acme.com access.log access.log.1.gz",
    "firmograph import visits --account acme --domain acme.com page-views.jsonl --json",
    after=EXIT_CODES,
)


def visits(
    files: VisitFiles,
    account: SiteAccount,
    domain: SiteDomain,
    rejects: Rejects = None,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Load page views of a tracked website. Files may come in any order; the same page view again counts once.

    No address, path, query or user agent is kept, and the rejects file has line numbers and reasons only.
    """
    from firmograph.cli.context import open_account
    from firmograph.visits.importing import VisitImport
    from firmograph.visits.reading.files import recognise
    from firmograph.visits.recognition import VisitorRecognition
    from firmograph.visits.service import PageViews
    from firmograph.visits.sites import Sites
    from firmograph.visits.unnamed import UnnamedPageViews

    recognised = [(path, recognise(path)) for path in files]
    settings = load_settings()
    # before an import creates a database that has no sites
    with open_account(account, settings) as (existing, account_id):
        site = existing.get(Sites).find(account_id, domain)

    def import_(installation: "Installation", hooks: ImportHooks) -> "Summary":
        importer = VisitImport(
            installation.database,
            installation.clock,
            installation.get(VisitorRecognition),
            installation.get(PageViews),
            installation.get(UnnamedPageViews),
            site,
            print_waiting,
        )
        return importer.run(recognised, *hooks)

    request = ImportRequest(files, site.domain, rejects, False, dry_run, json)
    run_import(settings, request, import_, [FileForm("", "")] * len(files))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("visits", epilog=_EXAMPLES)(visits)
