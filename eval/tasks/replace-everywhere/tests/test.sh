#!/bin/bash
set -eu
if grep -q total count.js; then exit 1; fi
test "$(node count.js)" = 6
