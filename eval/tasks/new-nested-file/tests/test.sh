#!/bin/bash
set -eu
node -e "if (JSON.parse(require('fs').readFileSync('config/app/limits.json')).most !== 10) process.exit(1)"
