"""Registration of buying groups."""

from firmograph.caller import Price
from firmograph.installation import Registration

REGISTRATION = Registration(
    prices={"buyingGroupReveal": Price(credits=1, per_quantity=1)},
    services=("firmograph.buying_groups.wiring",),
    server="firmograph.buying_groups.server_wiring",
)
