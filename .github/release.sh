#!/usr/bin/env bash
# Makes, of the wheel for one target, the other packages of a release that hold its program: `release.sh TARGET WHEEL FOLDER` puts
# into FOLDER an archive by the name under which cargo-binstall looks for it, and the npm package of the platform. All packages of a target so have the
# same program, to the byte.
set -euo pipefail

target=$1 wheel=$2 folder=$3
here=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v python3 || command -v python)

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m zipfile -e "$wheel" "$work/wheel"
program=("$work"/wheel/*.data/scripts/normative*)
if [[ ${#program[@]} -ne 1 || ! -f ${program[0]} ]]; then
    echo "$wheel: expected one program, got ${program[*]}" >&2
    exit 2
fi
version=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["version"])' "$here/backends/javascript/package.json")

name=normative-$target-v$version
mkdir "$work/$name"
cp "${program[0]}" "$here/LICENSE-MIT" "$here/LICENSE-APACHE" "$work/$name/"
# A wheel does not keep the bit that makes a program one.
chmod +x "$work/$name/$(basename "${program[0]}")"
tar -C "$work" -czf "$folder/$name.tar.gz" "$name"

node "$here/backends/javascript/platform_package.mjs" "$target" "${program[0]}" "$work/npm"
(cd "$folder" && npm pack --silent "$work/npm")
