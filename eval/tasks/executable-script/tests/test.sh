#!/bin/bash
set -eu
test "$(./greet Ada)" = "hello Ada"
