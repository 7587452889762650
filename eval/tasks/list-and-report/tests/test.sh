#!/bin/bash
set -eu
printf "a\nb\n" | cmp - folders.txt
