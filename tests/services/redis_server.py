"""A Redis server for tests, without persistence, on a free loopback port.

`python tests/services/redis_server.py` starts one in a new folder, prints its URL, and stops it on Ctrl-C.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import redis

sys.path.insert(0, str(Path(__file__).parents[1]))

from services.ports import free_port

MISSING = "Redis is not installed: apt-get install redis-server"


def installed() -> bool:
    return shutil.which("redis-server") is not None


class RedisServer:
    """One server; its data are lost when its process ends."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="firmograph-redis-")) if folder is None else folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            options = {
                "port": self.port,
                "bind": "127.0.0.1",
                "save": "",
                "appendonly": "no",
                "dir": self.folder,
            }
            arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
            self._process = subprocess.Popen(["redis-server", *arguments], stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                with self.client() as client:
                    client.ping()
                return
            except redis.ConnectionError:
                time.sleep(0.01)
        raise AssertionError(f"Redis did not start: {(self.folder / 'log').read_text()}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def client(self) -> "redis.Redis":
        return redis.Redis.from_url(self.url, socket_timeout=60)

    def stop(self) -> None:
        """Shut down cleanly; the port stays reserved for this server."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Suspend the process until `resume`: connections stay open but get no answer."""
        self._signal(signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def restart(self) -> None:
        """Stop and start the server; all data are lost."""
        self.stop()
        self.start()

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(60)
            self._process = None

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _main() -> None:
    server = RedisServer()
    server.start()
    print(server.url, flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        server.remove()


if __name__ == "__main__":
    _main()
