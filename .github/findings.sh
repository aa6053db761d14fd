#!/usr/bin/env bash
# Repeats every row of docs/findings.md with the command that stands over it: what is a finding must still fail (exit
# code 1). A row that does not is the runtime's news, or ours. Runtimes that are not set up are named and left out.
set -uo pipefail
cd "$(dirname "$0")/.."

# A version that somebody asked for stands beside the one that is pinned, and in no list.
is_ready() { # NAME or NAME@VERSION
    if [[ $1 == *@* ]]; then
        [[ -d ${CARGO_TARGET_DIR:-target}/normative-setups/$1 ]]
    else
        grep -qxF -- "$1" <<<"$ready"
    fi
}

ready=$(cargo xtask backends | awk '$2 == "ready" { print $1 }')
tried=0 stale=0 command='' out=''

try() { # the words of a command
    [[ $* =~ --backend\ ([^ ]+) ]]
    local backend=${BASH_REMATCH[1]}
    if ! is_ready "$backend"; then
        out+="$backend"$'\n'
        return
    fi
    tried=$((tried + 1))
    "$@" >/dev/null 2>&1 </dev/null
    local code=$?
    if ((code != 1)); then
        stale=$((stale + 1))
        printf 'exit code %d: %s\n' "$code" "$*"
    fi
}

while IFS= read -r line; do
    if [[ $line =~ ^\ {4}(cargo\ xtask\ .*)$ ]]; then
        command=${BASH_REMATCH[1]}
        if [[ $command != *CASE ]]; then
            read -ra words <<<"$command"
            try "${words[@]}"
        fi
    elif [[ $line =~ ^\|\ \`([^\`]+)\` ]]; then
        read -ra words <<<"${command%CASE}${BASH_REMATCH[1]}"
        try "${words[@]}"
    fi
done <docs/findings.md

if [[ -n $out ]]; then
    printf 'left out, not set up: %s\n' "$(sort -u <<<"$out" | paste -sd ' ')"
fi
printf '%d findings tried, %d of them fail no more\n' "$tried" "$stale"
((tried > 0 && stale == 0))
