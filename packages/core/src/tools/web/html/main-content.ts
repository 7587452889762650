import type { PageBlock } from './block.js';
import type { PageElement } from './page-element.js';

/** A narrower choice of blocks is taken when it holds this much text, or this share of the wider choice. */
const ENOUGH_CHARACTERS = 140;
const ENOUGH_SHARE = 0.3;
const BLOCKS_PER_SLICE = 20_000;

type Pause = () => Promise<void>;

interface Choice {
  blocks: readonly PageBlock[];
  length: number;
}

/** The blocks of the page's main content, without navigation, banners and side columns. */
export async function mainContent(blocks: readonly PageBlock[], pause: Pause): Promise<readonly PageBlock[]> {
  const narrow = (choice: Choice, keep: (block: PageBlock) => boolean) => keepWhere(choice, keep, pause);
  const all = await narrow({ blocks, length: 0 }, () => true);
  const isSide = ({ element }: PageBlock): boolean =>
    element.aside || (element.suspect !== null && element.suspect.textLength <= all.length / 2);

  let chosen = enough(await narrow(all, (block) => !block.element.aside), all);
  const main = largest(chosen.blocks, (element) => element.main);
  if (main) chosen = enough(await narrow(chosen, (block) => block.element.main === main), chosen);
  chosen = enough(await narrow(chosen, (block) => !isSide(block)), chosen);
  if (!main) {
    const withoutMenus = await narrow(chosen, (block) => !isInMenu(block.element));
    if (withoutMenus.length >= 4 * ENOUGH_CHARACTERS) chosen = withoutMenus;
  }
  const article = largest(chosen.blocks, (element) => element.article);
  if (!article) return chosen.blocks;
  // A single article that is nearly everything stands for the whole.
  const inside = await narrow(chosen, (block) => block.element.article === article);
  return inside.length >= 0.6 * chosen.length ? inside.blocks : chosen.blocks;
}

async function keepWhere(choice: Choice, keep: (block: PageBlock) => boolean, pause: Pause): Promise<Choice> {
  const blocks: PageBlock[] = [];
  let length = 0;
  for (const [index, block] of choice.blocks.entries()) {
    if (index % BLOCKS_PER_SLICE === BLOCKS_PER_SLICE - 1) await pause();
    if (!keep(block)) continue;
    blocks.push(block);
    length += block.text.length;
  }
  return { blocks, length };
}

function enough(narrow: Choice, wide: Choice): Choice {
  const kept = narrow.length >= ENOUGH_CHARACTERS || narrow.length >= ENOUGH_SHARE * wide.length;
  return narrow.length > 0 && kept ? narrow : wide;
}

function largest(
  blocks: readonly PageBlock[],
  of: (element: PageElement) => PageElement | null,
): PageElement | null {
  let best: PageElement | null = null;
  for (const { element } of blocks) {
    const candidate = of(element);
    if (candidate && candidate.textLength > (best?.textLength ?? -1)) best = candidate;
  }
  return best;
}

/** The answer is stored on every element passed, so that all calls together walk the page once. */
function isInMenu(element: PageElement): boolean {
  const path: PageElement[] = [];
  let each: PageElement | null = element;
  while (each && each.inMenu === undefined && !each.menu) {
    path.push(each);
    each = each.parent;
  }
  const answer = each !== null && (each.menu || each.inMenu === true);
  for (const passed of path) passed.inMenu = answer;
  return answer;
}
