#!/bin/bash
set -eu
find . -name "*.md" -not -path "./tests/*" | wc -l > count.txt
