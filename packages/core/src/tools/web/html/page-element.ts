/** An open or closed element, with what is known of the text under it. */
export interface PageElement {
  name: string;
  parent: PageElement | null;
  /** True for what is not part of the page's text: scripts, controls, hidden elements. */
  skipped: boolean;
  /** True inside navigation, the page's header or footer and the like. */
  aside: boolean;
  /** The outermost element around it whose class or id suggests side content. */
  suspect: PageElement | null;
  main: PageElement | null;
  article: PageElement | null;
  /** Programming language that its class names. */
  language: string;
  textLength: number;
  linkLength: number;
  links: number;
  /** True when it holds a passage of running text. */
  prose: boolean;
  /** True when it holds hardly anything but links; known after its end. */
  menu: boolean;
  /** Cached answer of `isInMenu`. */
  inMenu?: boolean;
}

export type Attributes = Readonly<Record<string, string>>;

const skippedNames = new Set(
  'script style template svg canvas object embed iframe video audio select button textarea datalist map rp frameset'.split(
    ' ',
  ),
);
const skippedClasses =
  /^(sr-only|visually-?hidden|screen-reader-text|mw-editsection|katex-html|clipboard-copy)$/;
const gutterClasses =
  /^(lineno|linenos|linenodiv|linenumber|line-?numbers?-rows|gutter|rouge-gutter|blob-num|hljs-ln-numbers|line-number)$/;
const asideRoles = new Set(
  'navigation banner contentinfo search menu menubar toolbar dialog alertdialog'.split(' '),
);
const suspectWords =
  /^(cookies?|consent|gdpr|newsletter|subscribe|sidebar|breadcrumbs?|pagination|pager|social|share|sharing|related|recommended|advert|advertisement|ads|promo|popup|modal|navbar|navigation|menu|toc|skip|footer|copyright)$/;
const suspectPrefixes = /^(has|with|no|is|without|js)-/;
const neverSuspect = new Set(
  'html body main article h1 h2 h3 h4 h5 h6 a code pre li span b i em strong'.split(' '),
);
const languageBearers = new Set('pre code div figure td table'.split(' '));
const gutterBearers = new Set('td th span div a'.split(' '));
const unseenStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const prefixedLanguage = /^(?:language|lang|highlight-source|highlight-text|highlight|brush)[-:](.+)$/i;
const highlighter = /^(hljs|sourcecode|prettyprint|highlight)$/i;
const highlighterWord = /^(hljs|sourcecode|prettyprint|highlight|linenums|numberlines)$/i;
const noLanguage =
  /^(none|default|plain|plaintext|text|nohighlight|auto|en|de|fr|es|it|pt|ru|zh|ja|ko|\w\w-\w\w)$/;
const none: readonly string[] = [];
const containers = new Set('ul ol div section table td header form aside p'.split(' '));

export function describeElement(
  name: string,
  attributes: Attributes,
  parent: PageElement | null,
): PageElement {
  const classes = wordsOf(attributes['class']);
  const element: PageElement = {
    name,
    parent,
    skipped: parent?.skipped === true || isSkipped(name, attributes, classes),
    aside: parent?.aside === true,
    suspect: parent?.suspect ?? null,
    main: parent?.main ?? null,
    article: parent?.article ?? null,
    language: languageBearers.has(name) ? languageOf(attributes, classes) : '',
    textLength: 0,
    linkLength: 0,
    links: 0,
    prose: false,
    menu: false,
  };
  if (name === 'main' || attributes['role'] === 'main') element.main ??= element;
  if (name === 'article') element.article ??= element;
  if (isAside(element, attributes)) element.aside = true;
  if (isSuspect(name, attributes, classes)) element.suspect ??= element;
  return element;
}

/** Adds up the text of the element for its parent and decides whether it was a menu. */
export function closeElement(element: PageElement): void {
  const { parent } = element;
  if (parent) {
    parent.textLength += element.textLength;
    parent.linkLength += element.linkLength;
    parent.links += element.links;
    parent.prose ||= element.prose;
  }
  element.menu =
    !element.prose &&
    containers.has(element.name) &&
    element.links >= 8 &&
    element.linkLength >= 0.75 * element.textLength &&
    element.linkLength <= 60 * element.links;
}

function isSkipped(name: string, attributes: Attributes, classes: readonly string[]): boolean {
  if (skippedNames.has(name)) return true;
  if ('hidden' in attributes && attributes['hidden'] !== 'until-found') return true;
  if (attributes['aria-hidden'] === 'true' && name !== 'body' && name !== 'main' && name !== 'article')
    return true;
  if (attributes['style'] !== undefined && unseenStyle.test(attributes['style'])) return true;
  if (classes.some((word) => skippedClasses.test(word))) return true;
  return gutterBearers.has(name) && classes.some((word) => gutterClasses.test(word));
}

function isAside(element: PageElement, attributes: Attributes): boolean {
  const inContent = element.main !== null || element.article !== null;
  switch (element.name) {
    case 'nav':
    case 'noscript':
      return true;
    case 'footer':
      return !hasAncestor(element, 'blockquote');
    case 'header':
    case 'aside':
      return !inContent;
  }
  const role = attributes['role'] ?? '';
  return asideRoles.has(role) || (role === 'complementary' && !inContent);
}

function isSuspect(name: string, attributes: Attributes, classes: readonly string[]): boolean {
  if (neverSuspect.has(name)) return false;
  return [...classes, ...wordsOf(attributes['id'])].some(
    (word) =>
      !suspectPrefixes.test(word) && word.split(/[-_]+/).some((segment) => suspectWords.test(segment)),
  );
}

function languageOf(attributes: Attributes, classes: readonly string[]): string {
  const named = attributes['data-lang'] ?? attributes['data-language'];
  if (named === undefined && classes.length === 0) return '';
  const prefixed = classes.find((word) => prefixedLanguage.test(word));
  const bare = classes.some((word) => highlighter.test(word))
    ? classes.find((word) => !highlighterWord.test(word))
    : undefined;
  const found = named ?? (prefixed === undefined ? bare : prefixedLanguage.exec(prefixed)?.[1]);
  const language = (found ?? '').toLowerCase();
  return !noLanguage.test(language) && /^[a-z0-9+#.-]{1,20}$/.test(language) ? language : '';
}

function wordsOf(text: string | undefined): readonly string[] {
  return text === undefined ? none : text.slice(0, 500).split(/\s+/).filter(Boolean);
}

function hasAncestor(element: PageElement, name: string): boolean {
  for (let each = element.parent; each; each = each.parent) if (each.name === name) return true;
  return false;
}
