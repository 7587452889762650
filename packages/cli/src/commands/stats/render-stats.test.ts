import type { Stats, Totals } from '@toolwright/core/front-end';
import { describe, expect, it } from 'vitest';
import { textOfLine, widthOf } from '../../ui/render/line.js';
import { renderStats } from './render-stats.js';

const totals: Totals = {
  sessions: 2,
  prompts: 2,
  answers: 4,
  inputTokens: 1_200_000,
  cachedTokens: 0,
  outputTokens: 40_000,
  cost: 12.5,
  unpriced: 0,
  modelMs: 90_000,
  calls: 1_234,
  failedCalls: 3,
  toolMs: 60_000,
  questions: 5,
  agreed: 4,
  questionMs: 30_000,
  changes: 12,
  undone: 1,
};
const tool = { calls: 1_234, failed: 3, denied: 1, questions: 5, totalMs: 60_000, medianMs: 50 };
const longModel = 'accounts/fireworks/models/qwen3-coder-480b-a35b-instruct';
const stats: Stats = {
  from: '2026-11-01',
  to: '2026-11-18',
  unread: 2,
  total: totals,
  days: { '2026-11-17': totals, '2026-11-18': totals },
  models: { [longModel]: totals, 模型: totals },
  tools: { mcp_server_of_somebody__a_tool_with_a_very_long_name: tool, edit: tool },
};
const rowsAt = (width: number): string[] =>
  renderStats(stats, { width, appearance: { color: false, unicode: true, linear: false } }).map(textOfLine);

describe('the tables of stats', () => {
  it.each([39, 59, 79, 119])('stay within %i columns, whatever models and tools are called', (width) => {
    const rows = rowsAt(width);
    expect(rows.filter((row) => widthOf(row) > width)).toEqual([]);
    expect(rows.join('\n')).toMatch(/^accounts\/.*….*-instruct +1,240,000/m);
  });

  it('stand in columns also where a letter takes two', () => {
    const [first, second] = rowsAt(79).filter((row) => /-instruct|模型/.test(row)) as [string, string];
    const upTo = (row: string): number => widthOf(row.slice(0, row.indexOf('1,240,000')));
    expect(upTo(first)).toBe(upTo(second));
  });

  it('tell no cost where only the free answers of a model have a price', () => {
    const costOfOne = (more: Partial<Totals>): string | undefined => {
      const models = { one: { ...totals, ...more } };
      const place = { width: 119, appearance: { color: false, unicode: true, linear: false } };
      const row = renderStats({ ...stats, models }, place)
        .map(textOfLine)
        .find((line) => line.startsWith('one '));
      return row?.match(/\$[\d.]+|–/)?.[0];
    };
    expect(costOfOne({ cost: 0, unpriced: 0 })).toBe('$0');
    expect(costOfOne({ cost: 0, unpriced: 1 })).toBe('–');
    expect(costOfOne({ cost: 1.5, unpriced: 1 })).toBe('$1.50');
    expect(costOfOne({ answers: 0, cost: 0 })).toBe('–');
  });

  it('say how many journals are missing in them', () => {
    expect(rowsAt(79).join('\n')).toContain('2 journals could not be read to the end.');
  });
});
