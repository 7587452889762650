DEBUG = True
NAME = "shop"
LEVEL = "debug"
RETRIES = 2
