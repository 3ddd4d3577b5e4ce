"""Registration of buying groups."""

from typing import Final

from firmograph.caller import Price
from firmograph.installation import Registration

_PRICES: Final = {"buyingGroupReveal": Price(credits=1, per_quantity=1)}

REGISTRATION = Registration(prices=_PRICES)
