#!/bin/bash
set -eu
test "$(sed -n 2p poem.txt | sed "s/^ *//")" = "and the second is new"
test "$(sed -n 1p poem.txt)" = "the first is old"
test "$(sed -n 3p poem.txt)" = "the third is old"
