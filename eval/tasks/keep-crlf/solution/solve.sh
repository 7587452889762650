#!/bin/bash
set -eu
sed -i "s/port = 80/port = 8080/" server.ini
