#!/bin/bash
set -eu
test "$(cat output.txt)" = "hello from 42"
