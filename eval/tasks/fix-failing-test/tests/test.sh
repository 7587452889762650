#!/bin/bash
set -eu
sh check.sh
test "$(cat check.sh)" = 'test "$(sh sum.sh 2 3)" = 5'
