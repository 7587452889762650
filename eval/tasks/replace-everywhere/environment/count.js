let total = 0;
for (const each of [1, 2, 3]) total += each;
console.log(total);
