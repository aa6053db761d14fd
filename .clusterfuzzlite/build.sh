#!/bin/bash -eu
# Fills $OUT with the fuzz targets, their seeds, words and options, from the sources in $SRC/normative.
cd "$SRC/normative"

# The image's flags are for the targets, not for the program that builds them.
flags="${RUSTFLAGS-}"
unset RUSTFLAGS
cargo xtask fuzz build --out "$OUT" --rustflags "$flags"
