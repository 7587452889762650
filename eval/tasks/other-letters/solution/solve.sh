#!/bin/bash
set -eu
sed -i s/rot/grün/ gruß.txt
