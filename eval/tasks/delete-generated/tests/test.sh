#!/bin/bash
set -eu
test -z "$(find build -name "*.tmp")"
test -f build/b.js
