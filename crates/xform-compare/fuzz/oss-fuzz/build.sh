#!/bin/bash -eu
# Every fuzz target, with optimisation and what it begins with, into $OUT. Run by OSS-Fuzz in the root of the repository.
root=$PWD
for fuzz in "$root"/crates/*/fuzz; do
  cd "${fuzz%/fuzz}"
  cargo fuzz build -O
  for target in "$fuzz"/targets/*.rs; do
    cp "$fuzz/target/x86_64-unknown-linux-gnu/release/$(basename "$target" .rs)" "$OUT/"
  done
done
cd "$root/crates/xform-report/tests/scenes"
zip -q -r "$OUT/reader_seed_corpus.zip" .
