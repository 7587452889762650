import { drawMissing, loadLanguages } from './highlight.js';
import type { Appearance } from './line.js';

/** The colours of languages, each of which is loaded when something is drawn that has them. */
export interface Colors {
  /** Draws what can be drawn again: it has one colour until those of its language are there. */
  passing<Drawn>(draw: () => Drawn): Drawn;
  /** Draws what stays as it is; null while it lacks its colours, and then it is to be asked for again. */
  lasting<Drawn>(draw: () => Drawn): Drawn | null;
}

/** `onColors`: some of the colours that something waits for are there. */
export function createColors(appearance: Appearance, onColors?: () => void): Colors {
  const asked = new Set<string>();

  function ask(missing: ReadonlySet<string>): void {
    const more = [...missing].filter((name) => !asked.has(name));
    if (more.length === 0) return;
    for (const name of more) asked.add(name);
    void loadLanguages(more).then(onColors);
  }
  function draw<Drawn>(drawn: () => Drawn): { drawn: Drawn; isMissing: boolean } {
    if (!appearance.color) return { drawn: drawn(), isMissing: false };
    const { drawn: made, missing } = drawMissing(drawn);
    ask(missing);
    return { drawn: made, isMissing: missing.size > 0 };
  }
  return {
    passing: (drawn) => draw(drawn).drawn,
    lasting(drawn) {
      const { drawn: made, isMissing } = draw(drawn);
      return isMissing ? null : made;
    },
  };
}
