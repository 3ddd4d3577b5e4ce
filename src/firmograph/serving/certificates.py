"""Certificate and key of the server: checks, and reloading without closing connections."""

import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from firmograph.kit.clock import SystemClock, moment
from firmograph.kit.errors import Refused
from firmograph.security.secret_file import FileCheck, check_secret_file
from firmograph.settings import Settings

if TYPE_CHECKING:
    from cryptography import x509

log = structlog.get_logger("firmograph.serve")


class Certificate:
    """TLS 1.2 or newer with a certificate and its key, both PEM files.

    Without a key file, the key is in the certificate's file. Raises Refused for unusable files.
    """

    def __init__(
        self, certificate_file: str, key_file: str = "", key_file_check: FileCheck = "strict"
    ) -> None:
        self._key_file_check = key_file_check
        self._certificate_file = certificate_file
        self._key_file = key_file or certificate_file
        self._current = self._load_context()
        self.context = self._load_context()
        """Initial context of connections."""
        # each handshake switches to the current context, so that renewal takes effect at once
        self.context.sni_callback = self._use_current_context

    def renew(self) -> None:
        """Reload the files for new connections; open connections keep their certificate.

        Unusable files are logged and ignored.
        """
        try:
            self._current = self._load_context()
        except Refused as error:
            log.error("the certificate was not renewed", reason=error.message)
        else:
            log.info("the certificate was read again", file=self._certificate_file)

    def _use_current_context(self, connection: Any, name: str | None, context: ssl.SSLContext) -> None:
        connection.context = self._current

    def _load_context(self) -> ssl.SSLContext:
        _check(self._certificate_file, self._key_file)
        check_secret_file(self._key_file, "the key of the certificate in", self._key_file_check)
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
    """Return the certificate of the settings, if any. Raises Refused for an unusable one."""
    if settings.certificate_file:
        return Certificate(settings.certificate_file, settings.key_file, settings.key_file_check)
    if settings.key_file:
        raise Refused("There is a key without certificate; give --certificate too")
    return None


def _check(certificate_file: str, key_file: str) -> None:
    """Raise Refused for unusable files, with clearer messages than those of OpenSSL."""
    certificate = _read_certificate(certificate_file)
    if _read_key(key_file).public_key() != certificate.public_key():
        raise Refused(
            f"The key in {key_file} does not belong to the first certificate in {certificate_file};"
            " give a matching pair"
        )
    now = moment(SystemClock())
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        log.warning(
            "the certificate is not valid today; clients will refuse it",
            file=certificate_file,
            begins=certificate.not_valid_before_utc.isoformat(),
            ends=certificate.not_valid_after_utc.isoformat(),
        )


def _read_certificate(file: str) -> "x509.Certificate":
    # imported here because it takes a tenth of a second
    from cryptography import x509

    try:
        return x509.load_pem_x509_certificates(_read_file("certificate", file))[0]
    except ValueError as error:
        raise Refused(
            f"{file} has no certificate in PEM form (which begins with -----BEGIN CERTIFICATE-----)"
        ) from error


def _read_key(file: str) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(_read_file("key", file), password=None)
    except TypeError as error:
        raise Refused(
            f"The key in {file} is encrypted; store it without passphrase, readable only by this user"
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Refused(f"{file} has no private key in PEM form; give its file with --key") from error


def _read_file(what: str, file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise Refused(
            f"The {what} file {file} cannot be read: {error.strerror}; correct its path or its permissions"
        ) from error
