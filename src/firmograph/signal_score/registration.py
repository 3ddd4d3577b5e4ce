"""Registration of the signal score."""

from firmograph.caller import Price
from firmograph.installation import Registration

REGISTRATION = Registration(
    prices={
        "signalScoreCompany": Price(credits=1, per_quantity=1),
        "signalScoreContact": Price(credits=1, per_quantity=1),
    },
    server="firmograph.signal_score.server_wiring",
)
