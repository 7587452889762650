#!/bin/bash
set -eu
node -e "import('./math.js').then(m => { if (m.add(1, 2) !== 3 || m.subtract(5, 2) !== 3) process.exit(1) })"
