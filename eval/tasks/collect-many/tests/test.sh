#!/bin/bash
set -eu
printf "alpha\nbeta\ngamma\n" | cmp - all.txt
