echo "hello from $((40 + 2))"
