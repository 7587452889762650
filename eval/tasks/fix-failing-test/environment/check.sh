test "$(sh sum.sh 2 3)" = 5
