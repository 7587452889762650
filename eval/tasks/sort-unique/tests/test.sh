#!/bin/bash
set -eu
printf "apple\nfig\npear\n" | cmp - sorted.txt
