/** An answer of 3,000 short paragraphs on its way to the screen: in one piece, and word by word. */
import { loadSource, median } from './measure.mjs';

const ROUNDS = 5;

const { advance, emptyStream } = await loadSource(`
  export { advance, emptyStream } from './packages/cli/src/ui/render/markdown-stream.js';
`);

const frame = { width: 80, appearance: { color: true, unicode: true, linear: false } };
const text = Array.from({ length: 3_000 }, (_, index) => `Paragraph ${index} has a few words.\n\n`).join('');

function draw(pieces) {
  let stream = emptyStream;
  for (const piece of pieces) stream = advance(stream, piece, frame).stream;
  return advance(stream, '', { ...frame, isFinal: true });
}

for (const [name, pieces] of Object.entries({ 'one piece': [text], 'word by word': text.split(/(?<= )/) })) {
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    draw(pieces);
    return performance.now() - started;
  }).sort((left, right) => left - right);
  console.log(`${(text.length / 1024).toFixed(0)} kB of paragraphs, ${name}: ${median(times).toFixed(0)} ms`);
}
