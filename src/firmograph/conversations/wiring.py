"""Services of conversations."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.conversations.service import Conversations
from firmograph.installation import Installation, Services


def _conversations(installation: Installation) -> Conversations:
    return Conversations(installation.database, installation.get(ChargedCalls))


SERVICES: Final[Services] = {Conversations: _conversations}
"""Services by class."""
