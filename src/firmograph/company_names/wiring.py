"""Services of company names."""

from typing import Final

from firmograph.company_names.current_names import CurrentNames
from firmograph.company_names.factory import ServedNames, serve_names
from firmograph.indexing.active_index import ActiveIndex
from firmograph.installation import Installation, Services


def _served(installation: Installation) -> ServedNames:
    return serve_names(installation.database, installation.clock, installation.settings.search_folder)


def _current(installation: Installation) -> CurrentNames:
    settings = installation.settings
    # none ever is in service where likeness is switched off, or outside a server
    active = installation.get(ServedNames).active if settings.company_likeness else ActiveIndex()
    return CurrentNames(active, settings.company_match_threshold, settings.company_match_margin)


SERVICES: Final[Services] = {ServedNames: _served, CurrentNames: _current}
