#!/bin/bash
set -eu
sort -u words.txt > sorted.txt
