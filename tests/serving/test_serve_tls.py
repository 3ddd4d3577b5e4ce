"""HTTPS with a certificate: an invalid one is refused at the start, a renewed one is used without a restart."""

import http.client
import json
import signal
import socket
import ssl

import httpx
import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from worker_processes import ForkedWorkers, Workers, eventually

import database_fixtures
from command_fixtures import InProcess
from firmograph.kit.errors import Refused
from firmograph.serving.certificates import load_certificate
from firmograph.serving.server import _transport_security
from firmograph.settings import Settings
from server_fixtures import Server, free_port
from services.proxy import Certificate

pytestmark = pytest.mark.any_database


@pytest.fixture
def certificate(tmp_path):
    return Certificate(tmp_path)


def serial_at(port):
    """Return the serial number of the certificate that a new connection gets."""
    pem = ssl.get_server_certificate(("127.0.0.1", port), timeout=60)
    return x509.load_pem_x509_certificate(pem.encode()).serial_number


def serial_in(file):
    return x509.load_pem_x509_certificate(file.read_bytes()).serial_number


@pytest.fixture(scope="module")
def https_server(tmp_path_factory):
    """Return a server of two workers with a certificate, and its account's key."""
    folder = tmp_path_factory.mktemp("secured")
    certificate = Certificate(folder)
    command = ForkedWorkers(folder, database_fixtures.fresh(folder))
    command.json("account", "create", "Acme")
    key = command.json("key", "create", "--account", "Acme")["apiKey"]
    files = ("--certificate", str(certificate.chain), "--key", str(certificate.key))
    server = Workers(command, free_port(), *files, FIRMOGRAPH_HSTS_SECONDS="86400")
    server.key, server.certificate = key, certificate
    try:
        eventually(lambda: serial_once_listening(server.port), "the server does not answer")
        server.workers = server.wait_until_each_answers(certificate.trusted)
        yield server
    finally:
        stderr = server.stop()
        database_fixtures.drop(command.database_url)
    assert f"https://127.0.0.1:{server.port}" in stderr
    assert server.process.returncode == 0


def connect(server, context):
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    return context.wrap_socket(plain, server_hostname="localhost")


def test_a_call_is_answered_over_https(https_server):
    usage = f"{https_server.url}/v3/account/usage"
    answer = httpx.get(usage, headers={"api_key": https_server.key}, verify=https_server.certificate.trusted)
    assert answer.status_code == 200


def test_browsers_are_asked_to_keep_to_https_where_a_setting_says_so(https_server):
    answer = httpx.get(
        f"https://127.0.0.1:{https_server.port}/health", verify=https_server.certificate.trusted
    )
    assert answer.headers["strict-transport-security"] == "max-age=86400"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_without_the_setting_nothing_is_asked_of_browsers():
    assert _transport_security(Settings()) == []


def test_plain_http_is_not_answered_on_the_port_of_https(https_server):
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{https_server.port}/health")


@pytest.mark.parametrize(("version", "protocol"), [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (None, "TLSv1.3")])
def test_tls_is_recent_enough(https_server, version, protocol):
    context = ssl.create_default_context(cafile=str(https_server.certificate.chain))
    context.maximum_version = version or ssl.TLSVersion.MAXIMUM_SUPPORTED
    with connect(https_server, context) as connection:
        assert connection.version() == protocol


def test_a_refused_body_is_answered_before_the_connection_ends(https_server):
    body = b" " * 4_000_000
    head = (
        f"POST /v3/contacts/search HTTP/1.1\r\nhost: x\r\nconnection: close\r\napi_key: {https_server.key}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    with connect(https_server, https_server.certificate.trusted) as connection:
        connection.sendall(head.encode() + body)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert (answer.status, json.loads(answer.read())["statusCode"]) == (413, 413)


def test_a_renewed_certificate_is_used_by_each_worker_and_no_connection_ends(https_server):
    trusted = https_server.certificate.trusted
    clients = []
    for worker in https_server.workers:
        with https_server.only(worker, https_server.workers):
            clients.append(httpx.Client(base_url=https_server.url, verify=trusted))
            assert clients[-1].get("/health").status_code == 200
    before = serial_in(https_server.certificate.chain)
    https_server.certificate = Certificate(https_server.certificate.chain.parent)
    after = serial_in(https_server.certificate.chain)
    assert serial_at(https_server.port) == before
    https_server.process.send_signal(signal.SIGHUP)
    for worker in https_server.workers:
        with https_server.only(worker, https_server.workers):
            eventually(lambda: serial_at(https_server.port) == after, "the renewed certificate is not shown")
    sockets = {client: connected(client) for client in clients}
    for client in clients:
        assert client.get("/health").status_code == 200
        assert connected(client) == sockets[client]
        client.close()
    assert https_server.processes() == https_server.workers


def connected(client):
    """Return the local port of a client's one kept connection."""
    (connection,) = client._transport._pool.connections
    return connection._connection._network_stream.get_extra_info("socket").getsockname()


@pytest.fixture
def single_process(command, certificate):
    """Return a server of one process with a certificate."""
    files = ("--certificate", str(certificate.chain), "--key", str(certificate.key))
    server = Server(command, free_port(), *files)
    yield server
    if server.process.poll() is None:
        server.stop()


def test_one_process_renews_its_certificate_too_and_keeps_the_old_one_if_the_new_is_invalid(
    single_process, certificate
):
    server = single_process
    eventually(lambda: serial_once_listening(server.port), "the server does not answer")
    before = certificate.chain.read_bytes()
    certificate.chain.write_text("nothing")
    server.process.send_signal(signal.SIGHUP)
    read_line = server.process.stderr.readline
    assert "not renewed" in next(line for line in iter(read_line, "") if "renewed" in line)
    certificate.chain.write_bytes(before)
    assert serial_at(server.port) == serial_in(certificate.chain)
    Certificate(certificate.chain.parent)
    server.process.send_signal(signal.SIGHUP)
    eventually(
        lambda: serial_at(server.port) == serial_in(certificate.chain), "the new certificate is not shown"
    )
    assert psutil.Process(server.process.pid).is_running()
    server.stop()
    assert server.process.returncode == 0


def serial_once_listening(port):
    try:
        return serial_at(port)
    except ConnectionRefusedError:
        return None


def refusal(certificate_file, key_file=""):
    with pytest.raises(Refused) as error:
        load_certificate(Settings(certificate_file=str(certificate_file), key_file=str(key_file)))
    assert "\n" not in error.value.message
    return error.value.message


def test_a_key_of_another_certificate_is_refused(certificate, tmp_path_factory):
    other = Certificate(tmp_path_factory.mktemp("other"))
    assert "does not belong" in refusal(certificate.chain, other.key)


def test_missing_or_unreadable_files_are_named(certificate, tmp_path):
    missing = tmp_path / "missing.pem"
    assert f"certificate file {missing} cannot be read: No such file" in refusal(missing, certificate.key)
    assert f"key file {missing} cannot be read: No such file" in refusal(certificate.chain, missing)
    assert "cannot be read: Is a directory" in refusal(tmp_path, certificate.key)


def test_files_with_other_content_are_named(certificate, tmp_path):
    other = tmp_path / "other.pem"
    other.write_text("-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n")
    assert f"{other} has no certificate" in refusal(other, certificate.key)
    assert f"{certificate.key} has no certificate" in refusal(certificate.key, certificate.key)
    assert f"{certificate.chain} has no private key" in refusal(certificate.chain)


def test_an_encrypted_key_is_refused_instead_of_asking_for_its_passphrase(certificate):
    key = load_pem_private_key(certificate.key.read_bytes(), None)
    secret = BestAvailableEncryption(b"secret")
    certificate.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secret))
    assert "is encrypted" in refusal(certificate.chain, certificate.key)


def test_a_key_alone_is_refused(certificate):
    assert "--certificate" in refusal("", certificate.key)


def test_certificate_and_key_may_share_a_file(certificate):
    certificate.chain.write_bytes(certificate.chain.read_bytes() + certificate.key.read_bytes())
    certificate.chain.chmod(0o600)
    made = load_certificate(Settings(certificate_file=str(certificate.chain)))
    assert made.context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_a_key_that_every_user_can_read_is_refused_unless_a_setting_accepts_it(certificate):
    certificate.key.chmod(0o644)
    assert f"can read the key of the certificate in {certificate.key}" in refusal(
        certificate.chain, certificate.key
    )
    accepted = {"certificate_file": str(certificate.chain), "key_file": str(certificate.key)}
    assert load_certificate(Settings(**accepted, key_file_check="off"))


@pytest.mark.parametrize("number", ["1", "2"])
def test_an_invalid_certificate_ends_the_start_with_one_line(tmp_path, database_url, certificate, number):
    command = InProcess(tmp_path, database_url)
    given = {"FIRMOGRAPH_CERTIFICATE_FILE": str(certificate.key), "FIRMOGRAPH_KEY_FILE": str(certificate.key)}
    done = command("serve", "--port", "0", "--workers", number, **given)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"Error: {certificate.key} has no certificate in PEM form")
