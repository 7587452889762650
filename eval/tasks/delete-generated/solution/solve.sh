#!/bin/bash
set -eu
find build -name "*.tmp" -delete
