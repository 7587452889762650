/** The texts of a tool that a search looks at. */
export interface Searchable {
  name: string;
  description: string;
}

interface Words {
  name: ReadonlySet<string>;
  description: ReadonlySet<string>;
}

const WEIGHTS = { nameWord: 6, nameStart: 3, inName: 2, descriptionWord: 2, descriptionStart: 1 };
const SHORTEST_START = 3;

const known = new WeakMap<Searchable, Words>();

/** The tools that fit a query, best first. A rare word counts for more than one that half of the tools have. */
export function rankTools<Tool extends Searchable>(query: string, tools: readonly Tool[]): Tool[] {
  const wanted = [...wordsIn(query)];
  const scores = new Float64Array(tools.length);
  for (const word of wanted) {
    const strengths = tools.map((tool) => strengthOf(word, tool));
    const hits = strengths.filter((strength) => strength > 0).length;
    if (hits === 0) continue;
    const rarity = Math.log(1 + tools.length / hits);
    strengths.forEach((strength, index) => {
      scores[index] = scores[index]! + strength * rarity;
    });
  }
  return tools
    .map((tool, index) => ({ tool, score: scores[index]! }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || (left.tool.name < right.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function strengthOf(word: string, tool: Searchable): number {
  const words = wordsOf(tool);
  if (words.name.has(word)) return WEIGHTS.nameWord;
  const isLong = word.length >= SHORTEST_START;
  if (isLong && startsOne(words.name, word)) return WEIGHTS.nameStart;
  if (words.description.has(word)) return WEIGHTS.descriptionWord;
  if (isLong && tool.name.toLowerCase().includes(word)) return WEIGHTS.inName;
  return isLong && startsOne(words.description, word) ? WEIGHTS.descriptionStart : 0;
}

/** `file` finds `files`, and `files` finds `file`. */
function startsOne(words: ReadonlySet<string>, wanted: string): boolean {
  for (const word of words) {
    if (word.startsWith(wanted)) return true;
    if (word.length >= SHORTEST_START && wanted.startsWith(word) && wanted.length - word.length <= 2)
      return true;
  }
  return false;
}

function wordsOf(tool: Searchable): Words {
  let words = known.get(tool);
  if (!words) {
    words = { name: wordsIn(tool.name), description: wordsIn(tool.description) };
    known.set(tool, words);
  }
  return words;
}

function wordsIn(text: string): Set<string> {
  const spread = text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').toLowerCase();
  return new Set(spread.match(/[\p{L}\p{N}]+/gu) ?? []);
}
