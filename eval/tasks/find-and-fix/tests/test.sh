#!/bin/bash
set -eu
if grep -rq recieve src; then exit 1; fi
printf "we receive letters\nthey receive parcels\n" | cmp - src/b/two.txt
