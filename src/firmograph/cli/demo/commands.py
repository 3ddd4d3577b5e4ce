"""Command `firmograph demo`: loads packaged data, serves them, and shows answers of the API."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer

from firmograph.cli.help_texts import examples

app = typer.Typer()

_FOLDER: Final = Path(".demo")


@app.command(epilog=examples("firmograph demo", "firmograph demo --stay --port 8080"))
def demo(
    stay: Annotated[
        bool,
        typer.Option(
            "--stay", help="Keep serving until interrupted; the next time start with what is there."
        ),
    ] = False,
    folder: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder for data, database and keys; remove it to start afresh."),
    ] = _FOLDER,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port of the server; another one if it is in use.")
    ] = 8000,
) -> None:
    """Load packaged demo data, serve them, and show answers of the API.

    The data are real and open: companies, public officials, maintainers of open-source projects; some records and
    all sales calls are made up to show every field. Every command and request is printed, so that it can be repeated by
    hand. Your own database and settings are neither read nor changed.
    """
    from firmograph.cli.demo.installation import DemoInstallation
    from firmograph.cli.demo.server import running_server
    from firmograph.cli.demo.terminal import print_result, print_step
    from firmograph.cli.demo.walkthrough import show

    started = time.monotonic()
    _forget_settings()
    # so that the server is stopped too
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    installation = DemoInstallation(folder)
    access = installation.access() if stay and installation.is_loaded() else None
    is_known = access is not None
    if not installation.is_loaded():
        print_step("This takes about a minute the first time")
        installation.load()
    access = access or installation.new_access()
    print_step("Serve them")
    with running_server(installation.commands, port) as server:
        if not is_known:
            show(server, installation.commands, access, installation.visits)
        server.wait_for_indexes()
        seconds = time.monotonic() - started
        if stay:
            with suppress(KeyboardInterrupt):
                print_step(
                    f"The service stays up at {server.base}, ready after {seconds:.0f} s;"
                    f" its API is at {server.base}/docs. Interrupt it with Ctrl-C."
                )
                print_result(f"KEY={access.key}")
                server.process.wait()
            return
    print_step(
        f"Done in {seconds:.0f} s. With --stay the service stays up; firmograph import loads data of your own."
    )


def _forget_settings() -> None:
    """Remove the settings of other installations from the environment of this process."""
    for name in [name for name in os.environ if name.startswith("FIRMOGRAPH_")]:
        del os.environ[name]
