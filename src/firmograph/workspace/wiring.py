"""The pages, built at the first request to one: a server that nobody visits starts without them."""

from typing import Final

from firmograph.installation import Installation, Services
from firmograph.workspace.application import Workspace
from firmograph.workspace.routes import ROUTES


def _workspace(installation: Installation) -> Workspace:
    return Workspace(installation, ROUTES)


SERVICES: Final[Services] = {Workspace: _workspace}
