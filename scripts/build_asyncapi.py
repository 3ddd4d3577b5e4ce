"""Write the AsyncAPI document of the deliveries: `build_asyncapi.py [FILE]`, by default `docs/asyncapi.yaml`."""

import sys
from pathlib import Path

import yaml

from firmograph.webhooks.sending.asyncapi import document

FILE = Path(__file__).parents[1] / "docs" / "asyncapi.yaml"


class _Dumper(yaml.SafeDumper):
    """A dumper that writes texts of several lines unchanged."""

    def represent_str(self, text: str) -> yaml.ScalarNode:
        style = "|" if "\n" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def ignore_aliases(self, data: object) -> bool:
        return True


_Dumper.add_representer(str, _Dumper.represent_str)


def text() -> str:
    return str(yaml.dump(document(), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else FILE).write_text(text(), "utf-8")
