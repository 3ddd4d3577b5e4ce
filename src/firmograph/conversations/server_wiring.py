"""What a server needs of conversations: the endpoints."""

from collections.abc import Sequence
from typing import Final

from firmograph.api.endpoint import Endpoint
from firmograph.conversations.routes import routes
from firmograph.conversations.service import Conversations
from firmograph.installation import Installation, ServerWiring


def _endpoints(installation: Installation) -> Sequence[Endpoint]:
    return routes(installation.get(Conversations))


SERVER: Final = ServerWiring(endpoints=_endpoints)
