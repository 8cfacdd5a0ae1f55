#!/usr/bin/env bash
# Installs what wfgate needs, each file by its hash; wfgate itself runs from the action's own folder.
set -euo pipefail
requirements=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/requirements.txt
cd "$RUNNER_TEMP" # no settings of the checkout are found here
python -m venv wfgate
wfgate/bin/python -m pip --isolated --disable-pip-version-check install --quiet --no-deps --require-hashes \
  --only-binary :all: --requirement "$requirements"
