"""A Caddy process with deploy/Caddyfile in front of test servers.

`python tests/services/caddy_server.py 127.0.0.1:8000 ...` starts one, prints its URL, and stops it on Ctrl-C.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from services.proxy import DEPLOY, Proxy, run_by_hand, substitute


class CaddyServer(Proxy):
    package = "caddy"

    def write_configuration(self) -> Path:
        certificate = "tls /etc/ssl/firmograph/fullchain.pem /etc/ssl/firmograph/privkey.pem"
        test_certificate = f"bind 127.0.0.1\n\ttls {self.certificate.chain} {self.certificate.key}"
        replacements = {
            "auto_https disable_redirects": "auto_https disable_redirects\n\tadmin off",
            "{$SITE:api.example.com}": self.url,
            "{$NODES:10.0.0.11:8000 10.0.0.12:8000}": " ".join(self._nodes),
            f"# {certificate}": test_certificate,
        }
        text = (DEPLOY / "Caddyfile").read_text()
        written = self.folder / "Caddyfile"
        written.write_text(substitute(text, replacements | dict(self._changed)))
        return written

    def command(self, configuration: Path) -> list[str]:
        return ["run", "--config", str(configuration), "--adapter", "caddyfile"]


if __name__ == "__main__":
    run_by_hand(CaddyServer)
