import { Writable } from 'node:stream';

/** From now on standard output is the client's; whatever else is printed there goes to standard error. */
export function takeStandardOutput(): Writable {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk, done);
    },
  });
}
