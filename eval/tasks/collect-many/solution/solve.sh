#!/bin/bash
set -eu
cut -d" " -f1 parts/*.txt > all.txt
