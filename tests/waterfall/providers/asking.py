"""Providers of a file, asked in an event loop."""

import asyncio
from pathlib import Path

import uvloop

from firmograph.kit.clock import SetClock
from firmograph.settings import Settings
from firmograph.waterfall.providers.loading import load_providers
from firmograph.waterfall.providers.types import Person

JANE = Person(
    email="jane@acme.com",
    first_name="Jane",
    last_name="Doe",
    company="Acme",
    domain="acme.com",
    linkedin_url="https://www.linkedin.com/in/jane-doe",
)
ASK_ID = "ask-1"
ENVIRON = {"PROVIDER_KEY": "s3cret-key"}

HTTP = """
[providers.p]
kind = "http"
url = "{url}/people"
insecure = true
timeout_seconds = 5
[providers.p.request]
body = '{{"email": "{{email}}"}}'
[providers.p.response]
emails = "emails"
phones = "phones"
first_name = "first"
last_name = "last"
"""
FIRMOGRAPH = """
[providers.p]
kind = "firmograph"
url = "{url}"
key = "env:PROVIDER_KEY"
insecure = true
timeout_seconds = 5
"""


def load(folder: Path, text: str, clock=None, **settings):
    file = folder / "providers.toml"
    file.write_text(text)
    return load_providers(Settings(providers_file=str(file), **settings), clock or SetClock(), ENVIRON)


def ask(folder: Path, text: str, *, person=JANE, data_point="phones", clock=None, key=ASK_ID):
    """Return what the provider `p` of a file answers."""
    providers = load(folder, text, clock)

    async def asked():
        try:
            return await providers.get("p").ask(person, data_point, key)
        finally:
            await providers.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(asked())
