"""Registration of website visits."""

from firmograph.installation import Registration

REGISTRATION = Registration(
    services=("firmograph.visits.wiring", "firmograph.visits.server_wiring"),
    server="firmograph.visits.server_wiring",
)
