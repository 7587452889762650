#!/bin/bash
set -eu
sed -i s/total/sum/g count.js
