"""The server's certificate and key: checked before they are used, and changed without ending a connection."""

import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from firmograph.kit.clock import SystemClock, moment
from firmograph.kit.errors import Refused
from firmograph.settings import Settings

if TYPE_CHECKING:
    from cryptography import x509

log = structlog.get_logger("firmograph.serve")


class Certificate:
    """TLS 1.2 or newer under a certificate and its key, both files in PEM form.

    Without a key file the key stands in the certificate's. Raises Refused when the files will not do.
    """

    def __init__(self, certificate_file: str, key_file: str = "") -> None:
        self._certificate_file = certificate_file
        self._key_file = key_file or certificate_file
        self._current = self._loaded()
        self.context = self._loaded()
        """What connections begin with."""
        # each handshake is handed over, so that another certificate takes the place of this one all at once
        self.context.sni_callback = self._hand_over

    def renew(self) -> None:
        """Read the files again, for new connections; those that are open keep theirs.

        Files that will not do are logged, and change nothing.
        """
        try:
            self._current = self._loaded()
        except Refused as error:
            log.error("the certificate was not renewed", reason=error.message)
        else:
            log.info("the certificate was read again", file=self._certificate_file)

    def _hand_over(self, connection: Any, name: str | None, context: ssl.SSLContext) -> None:
        connection.context = self._current

    def _loaded(self) -> ssl.SSLContext:
        _check(self._certificate_file, self._key_file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self._certificate_file, self._key_file)
        except (ssl.SSLError, OSError) as error:
            reason = getattr(error, "reason", None) or error.strerror
            raise Refused(f"The certificate in {self._certificate_file} cannot be used: {reason}") from error
        return context


def load_certificate(settings: Settings) -> Certificate | None:
    """The certificate that is set, if any. Raises Refused when it will not do."""
    if settings.certificate_file:
        return Certificate(settings.certificate_file, settings.key_file)
    if settings.key_file:
        raise Refused("A key is given without its certificate; give --certificate too")
    return None


def _check(certificate_file: str, key_file: str) -> None:
    """Raises Refused with what is wrong, which OpenSSL tells in its own words only."""
    own = _certificate(certificate_file)
    if _key(key_file).public_key() != own.public_key():
        raise Refused(
            f"The key in {key_file} does not belong to the first certificate in {certificate_file};"
            " give the two that were issued together"
        )
    now = moment(SystemClock())
    if not own.not_valid_before_utc <= now <= own.not_valid_after_utc:
        log.warning(
            "the certificate is not valid today; clients will refuse it",
            file=certificate_file,
            begins=own.not_valid_before_utc.isoformat(),
            ends=own.not_valid_after_utc.isoformat(),
        )


def _certificate(file: str) -> "x509.Certificate":
    # read in a tenth of a second, which a start without certificates does not need
    from cryptography import x509

    try:
        return x509.load_pem_x509_certificates(_read("certificate", file))[0]
    except ValueError as error:
        raise Refused(
            f"{file} holds no certificate in PEM form (it begins with -----BEGIN CERTIFICATE-----)"
        ) from error


def _key(file: str) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(_read("key", file), password=None)
    except TypeError as error:
        raise Refused(
            f"The key in {file} is encrypted; store it without a passphrase, readable by this user alone"
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Refused(f"{file} holds no private key in PEM form; give its file with --key") from error


def _read(what: str, file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise Refused(
            f"The {what} file {file} cannot be read: {error.strerror}; correct its path or its permissions"
        ) from error
