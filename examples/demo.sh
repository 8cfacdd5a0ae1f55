#!/bin/sh
# Calibrate on real golden workflows, pass a reworded one, block four degraded ones. Called by `make demo`.
set -eu
cd "$(dirname "$0")/.."
profile=.demo/profile.json

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then say() { printf '\n$ %s\n' "$*"; }; fi

# Runs a command that must end with the exit code given first.
expect() {
  wanted=$1; shift
  say "$@"
  code=0; "$@" || code=$?
  if [ "$code" -ne "$wanted" ]; then
    echo "the demo expected exit code $wanted, not $code" >&2
    exit 1
  fi
}

echo "1. Calibrate: perturb real goldens in known ways and fit thresholds with stated error rates."
echo "   Forty are few for 1 %: the shipped profile, fitted on hundreds, is pooled with them. (The judge of meaning has"
echo "   learnt from these very goldens, so that what is measured here about changed meanings flatters; for the shipped"
echo "   profile each golden was judged by a network that had not seen it.)"
expect 0 wfgate calibrate calibration/corpora/worfbench calibration/corpora/ops --sample 40 \
  --output "$profile" --report .demo/report

echo
echo "2. A regeneration in other words, ids and listing order: nothing is worse."
expect 0 wfgate gate examples/deploy/generated/reworded.yaml \
  --reference examples/deploy/approved/deploy.yaml --profile "$profile"

echo
echo "3. Four regenerations that read just as well, and are worse."
for name in missing-hardening squeezed-observability deploy-before-approval scan-if-there-is-time; do
  expect 1 wfgate gate "examples/deploy/generated/$name.yaml" \
    --reference examples/deploy/approved/deploy.yaml --profile "$profile"
done

echo
echo "Done: one passed, four blocked, as they should be. The calibration report is .demo/report/calibration.md"
