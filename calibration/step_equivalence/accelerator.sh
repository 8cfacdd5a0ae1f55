#!/usr/bin/env bash
# Trains three teachers and a student on a machine with an accelerator and without a network, in under ten minutes.
#
# usage: accelerator.sh PAIRS TEACHER STUDENT OUT [EPOCHS]
#
#   PAIRS    folder that pairs.py wrote (on any machine; it needs wfgate, this script does not)
#   TEACHER  folder of the larger encoder (all-mpnet-base-v2), or of a network that trains on
#   STUDENT  folder of the encoder of the student (all-MiniLM-L6-v2), or of a network that trains on
#   OUT      folder for the networks, the logs and measured.jsonl, one line per network
#   EPOCHS   number of epochs of each network, 4 if not given
#
# It needs python3 with torch, transformers and numpy (PYTHON names another one). DEVICE=cpu tries it without an
# accelerator, SHARE=0.01 with a share of the goldens. A run that was interrupted goes on from its checkpoints.
# Teachers differ only in their seed. The student learns from the labels and from the mean of the teachers.
set -euo pipefail
if [ $# -lt 4 ]; then
    sed -n '4,11p' "$0" | cut -c3- >&2
    exit 2
fi
pairs=$1 teacher=$2 student=$3 out=$4 epochs=${5:-4}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

trained() { # NAME ENCODER SEED [TEACHER...]
    local name=$1 encoder=$2 seed=$3 taught=()
    shift 3
    for folder in "$@"; do taught+=(--teacher "$folder"); done
    "${PYTHON:-python3}" "$here/train.py" "$pairs" --encoder "$encoder" --out "$out/$name" --epochs "$epochs" \
        --seed "$seed" --share "${SHARE:-1}" --device "${DEVICE:-cuda}" "${taught[@]}" | tee -a "$out/$name.log"
    printf '{"network": "%s", "seconds": %d, "measured": %s}\n' "$name" "$SECONDS" \
        "$(sed -n 's/^after [0-9]* epochs: //p' "$out/$name.log" | tail -1)" >>"$out/measured.jsonl"
}

for seed in 0 1 2; do trained "teacher-$seed" "$teacher" "$seed"; done
trained student "$student" 0 "$out"/teacher-{0,1,2}
cat "$out/measured.jsonl"
