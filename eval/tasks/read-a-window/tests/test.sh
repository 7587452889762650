#!/bin/bash
set -eu
test "$(cat line.txt)" = "line 4321 999"
