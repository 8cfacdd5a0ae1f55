"""Checks that a software bill of materials has exactly the locked packages and versions.

usage: sbom.py FILE
"""

import json
import sys
from pathlib import Path
from typing import Any

from licences import LOCK
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def differences(bill: dict[str, Any]) -> list[str]:
    """Return the packages that are only in the bill or only in the lock file, as "+" or "-" with "name==version"."""
    text = LOCK.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split("--hash=")[0].strip() for line in text.splitlines() if line and not line.startswith("#")]
    locked = [each for each in map(Requirement, lines) if each.marker is None or each.marker.evaluate()]
    wanted = {f"{canonicalize_name(each.name)}{each.specifier}" for each in locked}
    listed = {
        f"{canonicalize_name(part['name'])}=={part['version']}"
        for part in bill.get("components", [])
        if part["name"] != "wfgate"
    }
    return [f"+ {name}" for name in sorted(listed - wanted)] + [f"- {name}" for name in sorted(wanted - listed)]


def main() -> None:
    """Compare the bill with the lock file."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    bill = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = differences(bill)
    if found:
        raise SystemExit("the bill differs from the lock file: " + ", ".join(found))
    print(f"{sys.argv[1]}: CycloneDX {bill['specVersion']}, {len(bill['components'])} components, as locked")


if __name__ == "__main__":
    main()
