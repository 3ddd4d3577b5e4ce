"""Command group `firmograph privacy`: requests of people, lists that keep people out or uncalled, and retention."""

from firmograph.cli.help_texts import examples
from firmograph.cli.privacy import deletion_lists, do_not_call, retention
from firmograph.cli.privacy.commands import app

__all__ = ["app"]

app.add_typer(do_not_call.app, name="dnc")
app.command(
    "drop",
    epilog=examples(
        "firmograph privacy drop lists.zip --respond answers.csv",
        "firmograph privacy drop hashed-emails.csv",
        "firmograph privacy drop hashed-emails.csv --lift",
        after="Exit code 3: more than 10 people share an identifier, and --shared was not given.",
    ),
)(deletion_lists.drop)
app.command(
    "retention",
    epilog=examples(
        "firmograph privacy retention --dry-run", "firmograph privacy retention --dry-run --days 365"
    ),
)(retention.retention)
