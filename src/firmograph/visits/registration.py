"""Registration of website visits: the query."""

from firmograph.installation import Registration

REGISTRATION = Registration(
    services=("firmograph.visits.server_wiring",), server="firmograph.visits.server_wiring"
)
