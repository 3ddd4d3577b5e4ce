"""deploy/systemd, checked by systemd itself where available and compared with commands and settings."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deployment_files import DEPLOY, SETTINGS, check_command, started, texts

from firmograph.accounts.service import Accounts
from firmograph.bootstrap.packages import load_plans
from firmograph.kit.clock import SystemClock
from firmograph.settings import load_settings

pytestmark = pytest.mark.any_database

FOLDER = DEPLOY / "systemd"
UNITS = sorted(FOLDER.glob("*.service")) + sorted(FOLDER.glob("*.timer"))
SERVICES = [path for path in UNITS if path.suffix == ".service"]
each_service = pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.name)

analyses = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed: its package is systemd"
)


def settings_file(name):
    """Return the variables of an environment file, commented examples included."""
    lines = (FOLDER / name).read_text().splitlines()
    return dict(
        re.match(r"#?(FIRMOGRAPH_\w+)=(.*)", line).groups() for line in lines if "FIRMOGRAPH_" in line
    )


@analyses
def test_systemd_finds_no_error_in_the_units(tmp_path):
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    # systemd checks that the executable exists
    installed = str(Path(sys.executable).with_name("firmograph"))
    for path in [*tmp_path.rglob("*.service"), *tmp_path.rglob("*.conf")]:
        path.write_text(path.read_text().replace("/opt/firmograph/bin/firmograph", installed))
    files = [str(tmp_path / unit.name) for unit in UNITS]
    verified = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True)
    assert (verified.returncode, verified.stderr) == (0, "")


@analyses
@each_service
def test_a_unit_is_sandboxed(unit):
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=35", str(unit)],
        capture_output=True,
        text=True,
    )
    assert rated.returncode == 0, rated.stdout[-300:]


@each_service
def test_a_unit_runs_an_existing_command(unit):
    check_command(started(unit.read_text()))


def test_the_unit_with_a_certificate_runs_an_existing_command():
    check_command(started((FOLDER / "firmograph.service.d" / "certificate.conf").read_text()))


def test_the_backup_unit_writes_a_backup_and_removes_only_old_ones(command, database, tmp_path):
    Accounts(database, load_plans(), SystemClock()).create("Acme", "unlimited", 0)
    backups = tmp_path / "backups"
    backups.mkdir()
    old, other = backups / "firmograph-20200101T000000Z.tar", backups / "notes"
    for path in (old, other):
        path.touch()
        os.utime(path, (0, 0))
    unit = (FOLDER / "firmograph-backup.service").read_text()
    for line in re.findall(r"^ExecStart(?:Post)?=(.+)$", unit, re.MULTILINE):
        here = line.replace("/opt/firmograph/bin/firmograph", f"{sys.executable} -m firmograph.cli.main")
        here = here.replace("/var/lib/firmograph-backups", str(backups))
        # as systemd reads them
        words = [word.replace("$$", "$").replace("%%", "%") for word in shlex.split(here)]
        subprocess.run(words, env=command.environment, check=True)
    (made,) = set(backups.iterdir()) - {other}
    assert re.fullmatch(r"firmograph-\d{8}T\d{6}Z\.tar", made.name)
    assert made.stat().st_size > 1_000


@each_service
def test_a_unit_may_write_only_in_its_own_folder(unit):
    lines = unit.read_text().splitlines()
    for line in ("User=firmograph", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="):
        assert line in lines


def test_the_settings_of_the_units_are_valid():
    given = settings_file("firmograph.env")
    assert set(given) <= SETTINGS
    assert load_settings(given).database_url.startswith("postgresql+psycopg://")


def test_every_named_setting_exists():
    for name, text in texts().items():
        assert set(re.findall(r"FIRMOGRAPH_[A-Z_]*[A-Z]", text)) <= SETTINGS, name
