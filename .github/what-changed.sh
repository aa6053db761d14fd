#!/usr/bin/env bash
# Compares two matrices, and says what changed in a file that can be the text of an issue: $3. It is left empty where
# nothing did. Fails where they cannot be compared, as after a change of the cases: the next run can be.
set -uo pipefail
before=$1 after=$2 text=$3

: >"$text"
changes=$(cargo xtask report diff "$before" "$after")
code=$?
printf '%s\n' "$changes"
if ((code > 1)); then
    exit "$code"
fi
if ! grep -qv ': nothing changed$' <<<"$changes"; then
    exit 0
fi
# No line of it begins as a fence does, and an issue takes 65,536 characters.
{
    if ((code == 1)); then echo 'Something became worse since the last run:'; else echo 'Since the last run:'; fi
    echo
    echo '```'
    head -c 60000 <<<"$changes"
    echo
    echo '```'
} >"$text"
