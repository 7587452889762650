import { useSignal } from '@preact/signals';
import { type SessionTotals, totalsOf } from '../../wire/totals.js';
import type { TimelineItem } from '../../wire/wire.js';
import { Table } from './display.js';
import { durationText, numberText, plural } from './format.js';

/** Where time and tokens went; each plot has its table. */
export function Plots({ items }: { items: readonly TimelineItem[] }) {
  const totals = totalsOf(items);
  return (
    <div class="plots">
      <Time totals={totals} />
      <Tokens totals={totals} />
      <Cost totals={totals} />
    </div>
  );
}

function Time({ totals: { time, calls, asked } }: { totals: SessionTotals }) {
  const rows: [string, number, string][] = [
    ['Model', time.model, 'model'],
    ['Tools', time.tools, 'tools'],
    ['Waiting for you', time.waiting, 'waiting'],
  ];
  const all = rows.reduce((sum, [, ms]) => sum + ms, 0) || 1;
  let left = 0;
  return (
    <figure>
      <figcaption>
        Time: {durationText(time.model + time.tools + time.waiting)}, {plural(calls, 'call')},{' '}
        {plural(asked, 'question')}
      </figcaption>
      <svg
        class="bar-plot"
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={rows.map(([name, ms]) => `${name} ${durationText(ms)}`).join(', ')}
      >
        {rows.map(([, ms, kind]) => {
          const width = (ms / all) * 100;
          left += width;
          return <rect class={`k-${kind}`} x={left - width} y="0" width={width} height="6" />;
        })}
      </svg>
      <Legend kinds={rows.map(([name, , kind]) => [name, kind])} />
      <details>
        <summary>Time as a table</summary>
        <Table
          columns={['Kind of work', 'Time', 'Share']}
          rows={rows.map(([name, ms]) => [name, durationText(ms), `${Math.round((ms / all) * 100)} %`])}
        />
      </details>
    </figure>
  );
}

const MOST_BARS = 120;

function Tokens({ totals: { turns } }: { totals: SessionTotals }) {
  if (!turns.some(({ fresh, cached, answer }) => fresh + cached + answer > 0)) return null;
  const shown = turns.slice(-MOST_BARS);
  const most = Math.max(1, ...shown.map(({ fresh, cached, answer }) => fresh + cached + answer));
  const width = 100 / shown.length;
  return (
    <figure>
      <figcaption>
        Tokens by turn{shown.length < turns.length ? `, the last ${shown.length} of ${turns.length}` : ''}
      </figcaption>
      <svg
        class="turn-plot"
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Tokens of ${plural(turns.length, 'turn')}, at most ${numberText(most)} in one`}
      >
        {shown.map(({ fresh, cached, answer }, index) => {
          let top = 40;
          return (
            [
              ['cached', cached],
              ['fresh', fresh],
              ['answer', answer],
            ] as const
          ).map(([kind, amount]) => {
            const height = (amount / most) * 40;
            top -= height;
            return (
              <rect
                class={`k-${kind}`}
                x={index * width + width * 0.1}
                y={top}
                width={width * 0.8}
                height={height}
              />
            );
          });
        })}
      </svg>
      <Legend
        kinds={[
          ['New', 'fresh'],
          ['Cached', 'cached'],
          ['Answer', 'answer'],
        ]}
      />
      <details>
        <summary>Tokens as a table</summary>
        <Table
          columns={['Turn', 'New', 'Cached', 'Answer']}
          rows={turns.map(({ fresh, cached, answer }, index) => [index + 1, fresh, cached, answer])}
        />
      </details>
    </figure>
  );
}

function Legend({ kinds }: { kinds: readonly (readonly [string, string])[] }) {
  return (
    <ul class="legend">
      {kinds.map(([name, kind]) => (
        <li>
          <span class={`swatch k-${kind}`} aria-hidden="true" /> {name}
        </li>
      ))}
    </ul>
  );
}

type Prices = [fresh: number, cached: number, answer: number];
const PRICES = 'toolwright-prices';

function savedPrices(): Prices {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PRICES) ?? '');
    if (Array.isArray(value) && value.length === 3 && value.every((each) => typeof each === 'number'))
      return value as Prices;
  } catch {
    // None are saved.
  }
  return [0, 0, 0];
}

/** Prices change and differ by contract, so they are the reader's own, kept in this browser. */
function Cost({ totals: { turns } }: { totals: SessionTotals }) {
  const prices = useSignal(savedPrices());
  if (!turns.some(({ fresh, cached, answer }) => fresh + cached + answer > 0)) return null;
  const sums = turns.reduce<Prices>(
    (sum, { fresh, cached, answer }) => [sum[0] + fresh, sum[1] + cached, sum[2] + answer],
    [0, 0, 0],
  );
  const cost = sums.reduce((sum, tokens, index) => sum + (tokens / 1_000_000) * prices.value[index]!, 0);
  const names = ['New', 'Cached', 'Answer'];
  const set = (index: number, value: number): void => {
    prices.value = prices.value.map((price, at) => (at === index ? value : price)) as Prices;
    localStorage.setItem(PRICES, JSON.stringify(prices.value));
  };
  return (
    <figure>
      <figcaption>
        Cost so far:{' '}
        {prices.value.some((price) => price > 0) ? cost.toFixed(cost < 1 ? 4 : 2) : 'enter your prices'}
      </figcaption>
      <details>
        <summary>Cost as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Tokens</th>
              <th scope="col" class="number">
                Number
              </th>
              <th scope="col">Price of a million</th>
              <th scope="col" class="number">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {names.map((name, index) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="number">{numberText(sums[index]!)}</td>
                <td>
                  <input
                    type="number"
                    min="0"
                    step="0.01"
                    aria-label={`Price of a million tokens: ${name}`}
                    value={prices.value[index]}
                    onChange={({ currentTarget }) => set(index, Number(currentTarget.value) || 0)}
                  />
                </td>
                <td class="number">{((sums[index]! / 1_000_000) * prices.value[index]!).toFixed(4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
