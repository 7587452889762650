#!/bin/bash
set -eu
test "$(tr -d "[:space:]" < count.txt)" = 3
