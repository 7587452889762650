#!/bin/bash
set -eu
sed -i s/Gracie/Grace/ names.csv
