// Starts, reads, and never says a word.
process.stderr.write('mute: waiting for a database that is not there\n');
process.stdin.resume();
setInterval(() => undefined, 60_000);
