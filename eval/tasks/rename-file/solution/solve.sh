#!/bin/bash
set -eu
mv old-name.txt new-name.txt
