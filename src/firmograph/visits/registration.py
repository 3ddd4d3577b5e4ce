"""Registration of website visits: the query."""

from firmograph.installation import Registration

REGISTRATION = Registration(server="firmograph.visits.server_wiring")
