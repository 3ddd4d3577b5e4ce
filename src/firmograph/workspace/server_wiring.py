"""Parts of a server for the pages, if they are served."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Final

import anyio.to_thread

from firmograph.installation import Installation, ServerWiring, Services
from firmograph.kit.lifespans import running
from firmograph.workspace import AT

if TYPE_CHECKING:
    from litestar.types import ASGIApp

    from firmograph.workspace.application import Workspace


class LazyPages:
    """Pages, which are loaded in a thread at the first request to one of them."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._loading = anyio.Lock()
        self._pages: Workspace | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._pages is None:
            async with self._loading:
                if self._pages is None:
                    self._pages = await anyio.to_thread.run_sync(self._load)
        await self._pages.app(scope, receive, send)

    def start(self) -> None:
        """Do nothing: pages are loaded when they are asked for."""

    def stop(self) -> None:
        """End the threads of the pages."""
        if self._pages is not None:
            self._pages.close()

    def _load(self) -> "Workspace":
        from firmograph.workspace.application import Workspace

        return self._installation.get(Workspace)


def _pages(installation: Installation) -> LazyPages:
    return LazyPages(installation)


def _mounts(installation: Installation) -> "Mapping[str, ASGIApp]":
    if not installation.settings.workspace:
        # paths of nobody: the same 404 as all others
        return {}
    return {AT: installation.get(LazyPages)}


def _lifespans(installation: Installation) -> Sequence[AbstractAsyncContextManager[object]]:
    return [running(installation.get(LazyPages))] if installation.settings.workspace else ()


SERVICES: Final[Services] = {LazyPages: _pages}
SERVER: Final = ServerWiring(mounts=_mounts, lifespans=_lifespans)
