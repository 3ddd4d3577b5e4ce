"""The files of a run, and its calls of the real command line.

Everything is under `.bench/`, which git ignores: generated rows, the loaded database and its key file. Runs of
the same size use the rows again; the database is that of the last import run.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.generate import SEED, VERSION, brands, company_rows, contact_rows, write_rows
from firmograph.cli.losses import EXIT_LOST

ROOT = Path(__file__).resolve().parent.parent
PLAN = "unlimited"
"""The packaged plan without a limit of requests a second, so that the bench needs no plan file."""

SUCCEEDED = (0, EXIT_LOST)
"""Exit codes of commands that did their work: some of the made-up values cannot be read, as in real files."""


class Workspace:
    """The files of runs with one number of contacts."""

    def __init__(self, contacts: int, folder: Path | None = None) -> None:
        self.contacts = contacts
        self.companies = max(1, contacts // 10)
        self.folder = (folder or ROOT / ".bench") / str(contacts)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.database = self.folder / "bench.db"
        self._loaded = self.folder / "loaded.json"
        """Says that the database holds all rows, and what loading it measured."""
        self._rows_marker = self.folder / "held.json"
        """Says which rows the database holds."""

    @property
    def url(self) -> str:
        return f"sqlite:///{self.database}"

    def rows(self, entity: str) -> Path:
        """Return the file of `contacts` or `companies`."""
        return self.folder / f"{entity}-{SEED}-{VERSION}.jsonl"

    def generate(self, progress: Callable[[str, int], object]) -> None:
        """Generate the missing files."""
        known_brands = None
        for entity in ("companies", "contacts"):
            path = self.rows(entity)
            if path.exists():
                continue
            for older in self.folder.glob(f"{entity}-*.jsonl"):
                older.unlink()
            known_brands = known_brands or brands(self.companies)
            rows = (
                company_rows(known_brands)
                if entity == "companies"
                else contact_rows(self.contacts, known_brands)
            )
            write_rows(rows, path, lambda made, entity=entity: progress(entity, made))  # type: ignore[misc]

    def clear_database(self) -> None:
        self._loaded.unlink(missing_ok=True)
        self._rows_marker.unlink(missing_ok=True)
        for ending in ("", "-wal", "-shm", ".keys", ".search", ".search.lock"):
            Path(f"{self.database}{ending}").unlink(missing_ok=True)

    def load(self) -> None:
        """Fill a fresh database with all rows."""
        self.clear_database()
        for entity in ("companies", "contacts"):
            self.run("import", entity, str(self.rows(entity)))
        self.record_rows()

    def record_rows(self) -> None:
        """Record that the database has all rows."""
        self._rows_marker.write_text(json.dumps([SEED, VERSION]))

    def holds_rows(self) -> bool:
        return (
            self.database.exists()
            and self._rows_marker.exists()
            and json.loads(self._rows_marker.read_text()) == [SEED, VERSION]
        )

    def record_load(self, report: Any) -> None:
        """Record that the database has all rows, and the figures of loading it."""
        self.record_rows()
        self._loaded.write_text(json.dumps({"made_by": _made_by(), "report": report}))

    def loaded_report(self) -> Any:
        """Return the figures of loading the database; None if it is incomplete, or of another schema or other rows."""
        if not (self._loaded.exists() and self.database.exists()):
            return None
        load = json.loads(self._loaded.read_text())
        return load["report"] if load.get("made_by") == _made_by() else None

    def command(self, *arguments: str) -> list[str]:
        """Return a command of the service on this database."""
        return [str(Path(sys.executable).with_name("firmograph")), "--database", self.url, *arguments]

    @staticmethod
    def python(module: str, *arguments: str) -> list[str]:
        """Return a module of the bench as a command of its own."""
        return [sys.executable, "-m", module, *arguments]

    def run(self, *arguments: str) -> Any:
        """Run a command of the service with `--json` and return its output. Raises if it fails."""
        done = subprocess.run(
            [*self.command(*arguments), "--json"],
            env=environment(),
            check=False,
            text=True,
            capture_output=True,
        )
        if done.returncode not in SUCCEEDED:
            raise RuntimeError(f"firmograph {' '.join(arguments)} failed: {done.stderr.strip()}")
        return json.loads(done.stdout)


def _made_by() -> str:
    """Return a text that changes with the schema and with the generated rows."""
    state = hashlib.blake2b(f"{SEED} {VERSION}".encode(), digest_size=8)
    for path in sorted((ROOT / "src" / "firmograph" / "database" / "migrations" / "versions").glob("*.py")):
        state.update(path.read_bytes())
    return state.hexdigest()


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment with these settings of the service alone; others have their defaults.

    Its programs are those of this tree, whatever is installed.
    """
    other_variables = {
        name: value for name, value in os.environ.items() if not name.startswith("FIRMOGRAPH_")
    }
    given = {f"FIRMOGRAPH_{name.upper()}": value for name, value in settings.items()}
    return other_variables | given | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
