#!/usr/bin/env bash
# What action.yml does. NORMATIVE is where this repository is; BACKEND, BASELINE and ARGS are the inputs; the RUNNER_ and
# GITHUB_ variables are as the runner sets them. The exit code is that of the main job.
set -uo pipefail

record="$RUNNER_TEMP/normative.ndjson"
report="$RUNNER_TEMP/normative.md"
# Another use of the action in this job may have left one.
rm -f "$report"
echo "record=$record" >>"$GITHUB_OUTPUT"

# shellcheck disable=SC2153
backend=$BACKEND
# Here a path without a separator is a path: the names of this repository's own backends are nobody else's business.
if [[ $backend != cmd:* && -f $backend/Cargo.toml ]]; then
    backend=$(cd "$backend" && pwd)
fi
# All its lines; there is no zero byte at the end, which `read` takes for a failure.
read -r -d '' -a more <<<"$ARGS" || true
if [[ -n $BASELINE ]]; then
    more+=(--baseline "$BASELINE")
fi

cargo run --quiet --release --locked --manifest-path "$NORMATIVE/Cargo.toml" --package xtask -- \
    conformance --backend "$backend" --record "$record" --format markdown ${more[@]+"${more[@]}"} >"$report"
code=$?

# A run that went wrong has made no report.
if [[ -s $report ]]; then
    tee -a "$GITHUB_STEP_SUMMARY" <"$report"
fi
exit "$code"
