"""Registration of the workspace."""

from firmograph.installation import Registration

REGISTRATION = Registration(
    services=("firmograph.workspace.server_wiring", "firmograph.workspace.wiring"),
    server="firmograph.workspace.server_wiring",
)
