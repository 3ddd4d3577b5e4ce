"""The machine of the figures."""

import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path

import psutil

PACKAGES = (
    "litestar",
    "uvicorn",
    "uvloop",
    "httptools",
    "msgspec",
    "SQLAlchemy",
    "cryptography",
    "numpy",
    "pyroaring",
    "faiss-cpu",
    "scipy",
    "aiohttp",
)


def describe() -> dict[str, str]:
    """Return processor, memory, system and versions; never a name or a path of this machine."""
    return {
        "Processor": f"{_processor()}, {psutil.cpu_count()} cores",
        "Memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "System": f"{platform.system()} {platform.release().split('-')[0]}, {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        "Packages": ", ".join(f"{name} {version(name)}" for name in PACKAGES),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def other_work(seconds: float = 1.0) -> float:
    """Return the share of all cores that other programs use now, from 0 to 1: figures of a busy machine are low."""
    return float(psutil.cpu_percent(seconds)) / 100
