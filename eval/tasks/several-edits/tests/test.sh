#!/bin/bash
set -eu
printf 'DEBUG = False\nNAME = "shop"\nLEVEL = "warning"\nRETRIES = 5\n' | cmp - settings.py
