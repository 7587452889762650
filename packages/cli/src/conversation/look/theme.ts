import { type ReportItem, textItem } from '../../actions/report.js';
import { type SafeDiff, safe } from '../../app/safe-text.js';
import { themeNames } from '../../ui/render/theme.js';
import type { SlashContext } from '../slash-context.js';

const about: Readonly<Record<string, string>> = {
  auto: 'dark or light, to match the background of the terminal',
  dark: 'for a dark background',
  light: 'for a light background',
  contrast: 'bright colours and nothing faint',
  'color-blind': 'blue and orange in place of green and red',
};

const sample: SafeDiff = [
  {
    path: safe('app.ts'),
    change: safe('modify'),
    unified: safe("@@ -1,2 +1,2 @@\n // says hello\n-const name = 'you';\n+const name = 'world';\n"),
    added: 1,
    removed: 1,
  },
];

/** `/theme`: the list draws itself and a sample in each theme that is reached. */
export async function theme({ front, signal }: SlashContext, rest: string): Promise<ReportItem[]> {
  const before = front.theme;
  const wanted = rest.trim();
  if (wanted !== '' && !themeNames.includes(wanted))
    return [textItem(`There is no theme ${wanted}. The themes are ${themeNames.join(', ')}.`, 'warning')];
  const chosen = wanted || (await chooseTheme(front, before, signal));
  front.useTheme(chosen ?? before);
  if (chosen === null) return [textItem(`The theme is still ${before}.`)];
  return [textItem(`The theme is ${chosen} in this session. To keep it: /settings ui.theme ${chosen}`)];
}

async function chooseTheme(
  front: SlashContext['front'],
  current: string,
  signal: AbortSignal,
): Promise<string | null> {
  const items = themeNames.map((name) => ({
    id: name,
    label: safe(name),
    detail: safe(about[name] ?? ''),
    isCurrent: name === current,
  }));
  const picked = await front.pick(
    { title: safe('Theme'), items, start: current, typed: 'filter', hasPreview: true, verb: safe('uses it') },
    {
      signal,
      preview: async (id) => {
        front.useTheme(id);
        return { diff: sample };
      },
    },
  );
  return picked?.id ?? null;
}
