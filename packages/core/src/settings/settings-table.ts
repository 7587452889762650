import { fileKeys, settingKeys } from './setting-keys.js';
import type { Key, Keys, SettingKind } from './setting-kinds.js';

const projectWords = { add: 'may add', stricter: 'may be stricter', set: 'may set', refuse: '–' } as const;

/** The table of `docs/settings.md`, one line for every setting. */
export function settingsTable(): string {
  const rows = [...rowsOf(settingKeys), ...rowsOf(fileKeys)];
  return [
    '| setting | value | default | flag | project | meaning |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n');
}

function rowsOf(keys: Keys, prefix = '', inherited?: Key['project']): string[][] {
  return Object.entries(keys).flatMap(([name, key]) => {
    const path = `${prefix}${name}`;
    const project = key.project ?? inherited ?? 'refuse';
    if (key.kind.type === 'group') return rowsOf(key.kind.keys, `${path}.`, inherited);
    const row = [
      `\`${path}\``,
      kindWords(key.kind),
      key.default === undefined ? '' : `\`${JSON.stringify(key.default)}\``,
      key.flag ? `\`${key.flag}\`` : '',
      projectWords[project],
      key.description,
    ];
    const isMapOfGroups = key.kind.type === 'map' && key.kind.of.type === 'group';
    const inner = isMapOfGroups ? rowsOf(groupIn(key.kind), `${path}.NAME.`, 'set') : [];
    return [row, ...inner];
  });
}

function groupIn(kind: SettingKind): Keys {
  return kind.type === 'map' && kind.of.type === 'group' ? kind.of.keys : {};
}

function kindWords(kind: SettingKind): string {
  switch (kind.type) {
    case 'choice':
      return kind.values.map((value) => `\`${value}\``).join(' | ');
    case 'integer':
      return `whole number, ${kind.minimum} to ${kind.maximum}`;
    case 'boolean':
      return '`true` | `false`';
    case 'list':
      return kind.item ? `list; each ${kind.item.says}` : 'list of strings';
    case 'rules':
      return 'list of rules';
    case 'command':
      return 'command: string, or program and arguments';
    case 'map':
      return kind.of.type === 'group' ? 'object by name' : 'object of strings';
    case 'group':
      return 'object';
    case 'string':
      return kind.pattern?.says ?? 'string';
  }
}
