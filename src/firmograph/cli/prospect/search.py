"""Search engine of a command, without a server."""

from firmograph.cli.progress import count_progress
from firmograph.installation import Installation
from firmograph.kit.logs import set_up_logs
from firmograph.prospecting.engines.factory import ServedSearch
from firmograph.prospecting.engines.registry import engine_factory


def open_search(installation: Installation) -> None:
    """Put the engine of the settings in service for this command, with all changes as of now.

    A missing, unusable or outdated checkpoint is renewed first, as `firmograph index` does.
    """
    settings = installation.settings
    # the progress bar replaces the log of a build
    set_up_logs("warning" if settings.log_level == "info" else settings.log_level)
    with count_progress("Search index") as report:
        engine = engine_factory(settings).open(installation.database, settings, report)
    installation.get(ServedSearch).active.serve(engine)
