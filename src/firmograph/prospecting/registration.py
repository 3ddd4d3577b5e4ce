"""Registration of prospecting: search by filters, discovery of filter values, and the search index."""

from firmograph.installation import Registration

REGISTRATION = Registration(
    services=("firmograph.prospecting.wiring", "firmograph.prospecting.server_wiring"),
    server="firmograph.prospecting.server_wiring",
)
