import { readFileSync } from 'node:fs';

const statement = /^export const (\w+) = ([\s\S]*?);\n(?=\/\*\*|export const|\/\/#|$(?![\s\S]))/gm;

/**
 * The schemas of a generated module, each made when it is first asked for: a session of an editor needs a dozen of
 * 180, and all of them take a third of its start. Within the module they are called by functions, outside they stand
 * behind a proxy.
 */
export function onFirstUse(source) {
  const names = [...source.matchAll(/^export const (\w+) = /gm)].map(([, name]) => name);
  const makers = [...source.matchAll(statement)];
  if (names.length === 0 || makers.length !== names.length)
    throw new Error(
      `${makers.length} of ${names.length} schemas could be read: the generated file has another form`,
    );
  const known = new Set(names);
  const inside = (text) => text.replace(/\bz[A-Z]\w*\b/g, (name) => (known.has(name) ? `${name}$()` : name));
  const first = source.indexOf('export const');
  const imports = source.slice(0, first).match(/^import [^;]+;$/gm) ?? [];
  return [
    ...imports,
    // A check that is compiled pays after many calls; a start makes each once.
    'z.config({ jitless: true });',
    'const once = (make) => { let made; return () => (made ??= make()); };',
    'const behind = (get) => new Proxy({}, { get: (_, name) => { const made = get(); const found = made[name]; return typeof found === "function" ? found.bind(made) : found; } });',
    ...makers.map(([, name, text]) => `const ${name}$ = /* @__PURE__ */ once(() => ${inside(text)});`),
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ behind(${name}$);`),
  ].join('\n');
}

/** For esbuild. */
export const schemasOnFirstUse = {
  name: 'schemas on first use',
  setup({ onLoad }) {
    onLoad(
      { filter: /[\\/]@agentclientprotocol[\\/]sdk[\\/]dist[\\/]v1[\\/]schema[\\/]zod\.gen\.js$/ },
      ({ path }) => ({
        contents: onFirstUse(readFileSync(path, 'utf8')),
      }),
    );
  },
};
