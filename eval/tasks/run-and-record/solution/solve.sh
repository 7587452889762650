#!/bin/bash
set -eu
sh hello.sh > output.txt
