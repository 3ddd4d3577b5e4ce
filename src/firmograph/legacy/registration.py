"""Registration of the legacy calls."""

from firmograph.caller import Price
from firmograph.installation import Registration

REGISTRATION = Registration(
    prices={
        "contactRecommendationsReveal": Price(credits=1, per_quantity=1),
        "companyRecommendationsReveal": Price(credits=1, per_quantity=1),
    },
    services=("firmograph.legacy.server_wiring",),
    server="firmograph.legacy.server_wiring",
)
