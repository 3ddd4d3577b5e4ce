"""Services of conversations."""

from typing import Final

from firmograph.billing.charged_call import ChargedCalls
from firmograph.conversations.administration import ConversationAdministration
from firmograph.conversations.service import Conversations
from firmograph.installation import Installation, Services


def _conversations(installation: Installation) -> Conversations:
    return Conversations(installation.database, installation.get(ChargedCalls))


def _administration(installation: Installation) -> ConversationAdministration:
    return ConversationAdministration(installation.database, installation.clock, installation.digests)


SERVICES: Final[Services] = {
    Conversations: _conversations,
    ConversationAdministration: _administration,
}
"""Services by class."""
