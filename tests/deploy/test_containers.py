"""deploy/Containerfile and compose.yaml, as far as they can be tested without a container engine."""

import ipaddress
import json
import re
import tomllib

import pytest
import yaml
from deployment_files import DEPLOY, ROOT, check_command

from firmograph.settings import load_settings

pytestmark = pytest.mark.no_database

CONTAINERFILE = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def our_services(compose):
    """Return the services that run the image of this project."""
    return {name: service for name, service in compose["services"].items() if "build" in service}


def instructions(name):
    return re.findall(rf"^{name} (.*)$", CONTAINERFILE, re.MULTILINE)


def test_every_image_has_a_version(compose):
    images = [service["image"] for service in compose["services"].values()]
    bases = [line.split()[0] for line in instructions("FROM")]
    for image in [*images, *bases]:
        name, _, tag = image.partition(":")
        assert re.match(r"\d+(\.\d+)*(-\w+)*$", tag), image
        assert "." not in name, f"{image} names a registry"


def test_our_image_has_the_version_of_the_package(our_services):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {service["image"] for service in our_services.values()} == {f"firmograph:{version}"}
    assert f"-t firmograph:{version} " in CONTAINERFILE


def test_every_file_copied_into_the_image_exists():
    for line in instructions("COPY"):
        if not line.startswith("--from"):
            *sources, _ = line.split()
            for source in sources:
                assert (ROOT / source).exists(), source


def test_only_what_is_copied_reaches_the_engine():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]}
    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == copied


def test_a_package_contains_every_file_that_the_program_reads():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    package = ROOT / "src" / "firmograph"
    packaged = {path for pattern in declared["firmograph"] for path in package.glob(pattern)}
    required = {
        path for path in package.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".md")
    }
    assert required - packaged == set()


def test_dependencies_are_installed_by_their_hashes_and_the_service_runs_unprivileged():
    installs = [line for line in instructions("RUN") if "pip install" in line]
    assert len(installs) == 2
    assert "--require-hashes -r requirements/runtime.txt" in installs[0]
    assert "--no-deps" in installs[1]
    users = instructions("USER")
    assert users
    assert users[-1] not in ("root", "0")


def test_the_image_and_the_compose_file_contain_no_secret(our_services):
    named = " ".join(instructions("ENV") + instructions("ARG")).upper()
    assert not re.search("PASSWORD|SECRET|TOKEN|KEY", named)
    for service in our_services.values():
        assert "@" in service["environment"]["FIRMOGRAPH_DATABASE_URL"]
        assert not re.search(r":[^/@]+@", service["environment"]["FIRMOGRAPH_DATABASE_URL"])


def test_every_command_exists(our_services):
    (arguments,) = instructions("CMD")[-1:]
    check_command(json.loads(arguments))
    for service in our_services.values():
        check_command(service["command"])


def test_the_settings_of_each_container_are_valid(our_services):
    for service in our_services.values():
        given = {
            name: re.sub(r"\$\{SITE[^}]*\}", "api.example.com", value)
            for name, value in service["environment"].items()
            if name.startswith("FIRMOGRAPH_")
        }
        settings = load_settings(given)
        assert {f"FIRMOGRAPH_{name.upper()}" for name in settings.__struct_fields__} >= set(given)
        assert settings.nodes == sum("serve" in each["command"] for each in our_services.values())


def test_everything_that_the_services_refer_to_is_declared_and_used(compose):
    used = {"volumes": set(), "secrets": set(), "networks": set()}
    for service in compose["services"].values():
        mounted = [volume.partition(":")[0] for volume in service.get("volumes", [])]
        used["volumes"] |= {source for source in mounted if not source.startswith(".")}
        assert all((DEPLOY / source).exists() for source in mounted if source.startswith("."))
        used["secrets"] |= set(service.get("secrets", []))
        used["networks"] |= set(service["networks"])
        assert set(service.get("depends_on", {})) <= set(compose["services"])
    for kind, names in used.items():
        assert names == set(compose[kind]), kind


def test_persistent_data_is_on_volumes_of_the_image(our_services):
    (folders,) = (json.loads(line) for line in instructions("VOLUME"))
    for service in our_services.values():
        assert {volume.split(":")[1] for volume in service["volumes"]} == set(folders)
        assert service["environment"]["FIRMOGRAPH_KEYS_FILE"].startswith("/keys/")
    volumes = [service["volumes"] for service in our_services.values()]
    assert len({str(mounts) for mounts in volumes}) == len(our_services), (
        "each has a search folder of its own"
    )


def test_the_proxy_serves_every_server_and_is_the_only_trusted_one(compose, our_services):
    servers = {name for name, service in our_services.items() if "serve" in service["command"]}
    caddy = compose["services"]["caddy"]
    assert {node.partition(":")[0] for node in caddy["environment"]["NODES"].split()} == servers
    address = ipaddress.ip_address(caddy["networks"]["inside"]["ipv4_address"])
    (network,) = compose["networks"]["inside"]["ipam"]["config"]
    assert address in ipaddress.ip_network(network["subnet"])
    for name in servers:
        assert our_services[name]["environment"]["FIRMOGRAPH_TRUSTED_PROXIES"] == str(address)
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["caddy"]


def test_all_files_name_the_same_port(compose, our_services):
    (port,) = instructions("EXPOSE")
    assert f":{port}/health" in CONTAINERFILE
    for service in our_services.values():
        if "serve" in service["command"]:
            assert service["command"][-2:] == ["--port", port]
    nodes = compose["services"]["caddy"]["environment"]["NODES"].split()
    assert {node.partition(":")[2] for node in nodes} == {port}
    assert json.loads(instructions("CMD")[-1])[-2:] == ["--port", port]
