#!/bin/bash
set -eu
printf '[server]\r\nhost = localhost\r\nport = 8080\r\n' | cmp - server.ini
