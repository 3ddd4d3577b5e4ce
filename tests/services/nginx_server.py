"""An nginx process with deploy/nginx.conf in front of test servers.

`python tests/services/nginx_server.py 127.0.0.1:8000 ...` starts one, prints its URL, and stops it on Ctrl-C.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from services.proxy import DEPLOY, Proxy, run_by_hand, substitute

_MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/log;
worker_processes 2;
events {{}}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/none;
    uwsgi_temp_path {folder}/none;
    scgi_temp_path {folder}/none;
    include {site};
}}
"""
"""Main configuration that replaces /etc/nginx/nginx.conf and writes only to the test's folder."""


class NginxServer(Proxy):
    package = "nginx"

    def write_configuration(self) -> Path:
        node = "    server {}:8000 max_fails=1 fail_timeout=5s;\n"
        replacements = {
            node.format("10.0.0.11"): "".join(node.replace("{}:8000", address) for address in self._nodes),
            node.format("10.0.0.12"): "",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "    listen [::]:443 ssl;\n": "",
            "/etc/ssl/firmograph/fullchain.pem": str(self.certificate.chain),
            "/etc/ssl/firmograph/privkey.pem": str(self.certificate.key),
            "/var/log/nginx/firmograph.log": str(self.folder / "access.log"),
        }
        site = self.folder / "firmograph.conf"
        text = (DEPLOY / "nginx.conf").read_text()
        site.write_text(substitute(text, replacements | dict(self._changed)))
        main = self.folder / "nginx.conf"
        main.write_text(_MAIN.format(folder=self.folder, site=site))
        return main

    def command(self, configuration: Path) -> list[str]:
        return ["-p", str(self.folder), "-e", str(self.folder / "log"), "-c", str(configuration)]


if __name__ == "__main__":
    run_by_hand(NginxServer)
