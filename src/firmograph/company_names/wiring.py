"""Services of company names."""

from typing import Final

from firmograph.company_names.current_names import CurrentNames
from firmograph.company_names.factory import ServedNames, serve_names
from firmograph.installation import Installation, Services


def _served(installation: Installation) -> ServedNames:
    return serve_names(installation.database, installation.clock, installation.settings.search_folder)


def _current(installation: Installation) -> CurrentNames:
    settings, active = installation.settings, installation.get(ServedNames).active
    return CurrentNames(active, settings.company_match_threshold, settings.company_match_margin)


SERVICES: Final[Services] = {ServedNames: _served, CurrentNames: _current}
