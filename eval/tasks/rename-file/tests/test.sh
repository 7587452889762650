#!/bin/bash
set -eu
test ! -e old-name.txt
test "$(cat new-name.txt)" = "the same"
