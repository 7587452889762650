#!/bin/bash
set -eu
sed -n 4321p long.txt > line.txt
