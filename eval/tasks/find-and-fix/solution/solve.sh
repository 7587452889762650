#!/bin/bash
set -eu
sed -i s/recieve/receive/ src/b/two.txt
