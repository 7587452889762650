const { root } = document.body.dataset;
const input = document.querySelector('input[type=search]');
const found = document.querySelector('#found');
const wide = matchMedia('(width >= 50rem)');
const navigation = document.querySelector('.navigation');
const showNavigation = () => {
  navigation.open = wide.matches;
};
showNavigation();
wide.addEventListener('change', showNavigation);
if (wide.matches) navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });

let index;
/** The index comes as a script, because a page that was opened as a file may not fetch. */
function loadIndex() {
  index ??= new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = `${root}search-index.js`;
    script.onload = () => resolve(window.searchIndex);
    script.onerror = () => {
      index = undefined;
      resolve([]);
    };
    document.head.append(script);
  });
  return index;
}

function scoreOf({ page, title, text }, words) {
  const heading = `${page} ${title}`.toLowerCase();
  const body = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (heading.includes(word)) score += 10;
    else if (body.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    found.hidden = true;
    return;
  }
  const hits = (await loadIndex())
    .map((section) => ({ ...section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 12);
  found.replaceChildren(...(hits.length > 0 ? hits.map((hit) => hitElement(hit, words[0])) : [nothing()]));
  found.hidden = false;
}

function hitElement({ path, page, title, text }, word) {
  const link = document.createElement('a');
  link.href = root + path;
  const where = document.createElement('b');
  where.textContent = title === page ? page : `${page}: ${title}`;
  const at = text.toLowerCase().indexOf(word);
  const start = at < 40 ? 0 : text.indexOf(' ', at - 40) + 1;
  const excerpt = document.createElement('small');
  excerpt.textContent = `${start > 0 ? '… ' : ''}${text.slice(start, start + 120)}`;
  link.append(where, excerpt);
  return link;
}

function nothing() {
  const line = document.createElement('p');
  line.textContent = 'No document has all of these words.';
  return line;
}

input.addEventListener('input', search);
input.addEventListener('focus', loadIndex);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') found.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') found.hidden = true;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveBetweenHits(event);
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('search')) found.hidden = true;
});

function moveBetweenHits(event) {
  const stops = [input, ...found.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (found.hidden || at < 0) return;
  event.preventDefault();
  stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
}
