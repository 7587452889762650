#!/bin/bash
set -eu
sed -i -e "s/True/False/" -e "s/\"debug\"/\"warning\"/" -e "s/= 2/= 5/" settings.py
