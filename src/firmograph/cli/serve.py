"""Command `firmograph serve`: the API on one port."""

from typing import Annotated

import msgspec
import typer

from firmograph.cli.context import log_misnamed_settings, open_installation
from firmograph.cli.help_texts import examples
from firmograph.settings import load_settings

app = typer.Typer()


@app.command(
    epilog=examples(
        "firmograph serve",
        "firmograph serve --host 0.0.0.0 --port 443 --workers 4 --certificate fullchain.pem --key privkey.pem",
    )
)
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8000,
    workers: Annotated[
        int, typer.Option(min=1, help="Server processes, each with a search index of its own.")
    ] = 1,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave background work to `firmograph worker`.")
    ] = False,
    certificate: Annotated[
        str,
        typer.Option(metavar="FILE", help="Serve https with this certificate (PEM, followed by its chain)."),
    ] = "",
    key: Annotated[
        str, typer.Option(metavar="FILE", help="Key of the certificate (PEM), unless it is in the same file.")
    ] = "",
) -> None:
    """Serve the API until interrupted. SIGHUP reloads the certificate."""
    from firmograph.kit.logs import set_up_logs
    from firmograph.serving.start import start

    settings = load_settings()
    given = {"certificate_file": certificate, "key_file": key}
    settings = msgspec.structs.replace(settings, **{name: file for name, file in given.items() if file})
    set_up_logs(settings.log_level)
    log_misnamed_settings()
    start(settings, host, port, workers, background=not no_worker, open_installation=open_installation)
