#!/bin/bash
set -eu
sed -i "2s/old/new/" poem.txt
