"""Registration of website visits."""

from firmograph.installation import Registration

REGISTRATION = Registration(services=("firmograph.visits.wiring",))
