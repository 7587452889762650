#!/bin/bash
set -eu
sed -i s/1.4.2/2.0.0/ package.json
