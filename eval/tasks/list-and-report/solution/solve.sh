#!/bin/bash
set -eu
ls -d things/*/ | xargs -n1 basename > folders.txt
