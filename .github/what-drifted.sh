#!/usr/bin/env bash
# Compares two reports of `cargo xtask spec drift`, and says what changed in a file that can be the text of an issue: $3.
# It is left empty where nothing did. Which release or file a text was found in is no change.
set -euo pipefail
before=$1 after=$2 text=$3

: >"$text"
# `SPEC: changed in onnx 1.23.2; …` becomes `SPEC: changed`.
plain() { sed -E 's/^([^ ]+: (un)?changed) in .*$/\1/; s/^([^ ]+): .* does not define it.*$/\1: not defined/' "$1"; }
if diff <(plain "$before") <(plain "$after") >/dev/null; then
    exit 0
fi
# No line of a report begins as a fence does, and an issue takes 65,536 characters.
{
    echo 'Since the last run, a text that clauses rest on has changed:'
    echo
    echo '```'
    diff <(plain "$before") <(plain "$after") | head -c 30000 || true
    echo '```'
    echo
    echo 'The whole report:'
    echo
    echo '```'
    head -c 30000 "$after"
    echo '```'
} >"$text"
