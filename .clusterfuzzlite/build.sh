#!/bin/bash -eu
# Fills $OUT with the fuzz targets, their seeds, words and options, from the sources in $SRC/normative.
cd "$SRC/normative"

# The image's flags are for the targets, not for the program that writes their seeds.
RUSTFLAGS="" cargo run --locked -p normative-fuzz-checks --example seeds
cargo fuzz build -O
cp fuzz/options/*.options fuzz/dictionaries/*.dict "$OUT"
for target in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$target" .rs)
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$name" "$OUT"
    if [ -d "fuzz/corpus/$name" ]; then
        zip -qjr "$OUT/${name}_seed_corpus.zip" "fuzz/corpus/$name"
    fi
done
