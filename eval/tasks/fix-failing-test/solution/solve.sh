#!/bin/bash
set -eu
sed -i "s/-/+/" sum.sh
