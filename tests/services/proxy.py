"""Base class of the reverse proxies in tests, and their certificate."""

import datetime
import ipaddress
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from services.ports import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"


class Certificate:
    """Self-signed certificate for 127.0.0.1 and localhost, and a client context that trusts it."""

    def __init__(self, folder: Path) -> None:
        self.chain, self.key = folder / "fullchain.pem", folder / "privkey.pem"
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        alternative_names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName(alternative_names), critical=False)
            .sign(key, hashes.SHA256())
        )
        self.chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        self.key.touch(0o600)
        self.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        self.trusted = ssl.create_default_context(cafile=str(self.chain))


def substitute(text: str, replacements: Mapping[str, str]) -> str:
    """Replace strings in a text; raise ValueError unless each occurs exactly once."""
    for old, new in replacements.items():
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is there {text.count(old)} times, not once")
        text = text.replace(old, new)
    return text


class Proxy:
    """Proxy process that terminates TLS on a free loopback port."""

    package = ""
    """Name of the Debian package and of its binary."""

    def __init__(
        self, folder: Path, nodes: Sequence[str], *, changed: Mapping[str, str] | None = None
    ) -> None:
        """Prepare a proxy for nodes (host:port); `changed` replaces further strings of the file from deploy/."""
        self.folder = folder
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.certificate = Certificate(folder)
        self._nodes = nodes
        self._changed = changed or {}
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def binary(cls) -> str | None:
        return shutil.which(cls.package, path=f"{os.environ.get('PATH', '')}:/usr/sbin")

    def write_configuration(self) -> Path:
        """Write the configuration from deploy/ with this machine's ports and paths; return the main file's path."""
        raise NotImplementedError

    def command(self, configuration: Path) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        binary = self.binary()
        if binary is None:
            raise FileNotFoundError(f"{self.package} is not installed: its package is called {self.package}")
        command = [binary, *self.command(self.write_configuration())]
        environment = os.environ | {f"XDG_{kind}_HOME": str(self.folder) for kind in ("DATA", "CONFIG")}
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        self.stop()
        raise RuntimeError(f"{self.package} did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(30)


def run_by_hand(make: Callable[[Path, Sequence[str]], Proxy]) -> None:
    """Start a proxy in front of the nodes named on the command line; stop it on Ctrl-C."""
    folder = Path(tempfile.mkdtemp(prefix="firmograph-proxy-"))
    proxy = make(folder, sys.argv[1:] or ["127.0.0.1:8000"])
    try:
        proxy.start()
        print(f"{proxy.url}  (its certificate: {proxy.certificate.chain})", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        print("stopping", file=sys.stderr)
    finally:
        proxy.stop()
        shutil.rmtree(folder, ignore_errors=True)
