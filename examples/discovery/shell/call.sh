#!/bin/sh
# Runs one tool: its name is the last argument, its arguments come as JSON on standard input.
# What is printed is the answer; the exit status says whether it succeeded.
set -eu
arguments=$(cat)

# Enough for plain values; for more, use jq.
value_of() {
  printf '%s' "$arguments" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"
}

case "$1" in
line_count)
  path=$(value_of path)
  if [ ! -f "$path" ]; then
    echo "There is no file $path. Look for it with glob." >&2
    exit 1
  fi
  echo "$(($(wc -l <"$path"))) lines in $path"
  ;;
free_space)
  df -Pk . | awk 'NR == 2 { print int($4 / 1024) " MB free" }'
  ;;
*)
  echo "There is no tool $1." >&2
  exit 2
  ;;
esac
