import { formatDuration, formatNumber, plural } from '@toolwright/core/front-end';
import { type SessionTotals, totalsOf } from '../../wire/totals.js';
import type { TimelineItem } from '../../wire/wire.js';
import { Table } from './display.js';
import { safeText } from './safe-text.js';

/** Plots of time and tokens; each has its table. */
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
        Time: {formatDuration(time.model + time.tools + time.waiting)}, {plural(calls, 'call')},{' '}
        {plural(asked, 'question')}
      </figcaption>
      <svg
        class="bar-plot"
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={rows.map(([name, ms]) => `${name} ${formatDuration(ms)}`).join(', ')}
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
          rows={rows.map(([name, ms]) => [name, formatDuration(ms), `${Math.round((ms / all) * 100)} %`])}
        />
      </details>
    </figure>
  );
}

const MOST_BARS = 120;

function hasTokens(turns: SessionTotals['turns']): boolean {
  return turns.some(({ fresh, cached, answer }) => fresh + cached + answer > 0);
}

function Tokens({ totals: { turns } }: { totals: SessionTotals }) {
  if (!hasTokens(turns)) return null;
  const shown = turns.slice(-MOST_BARS);
  const most = Math.max(1, ...shown.map(({ fresh, cached, answer }) => fresh + cached + answer));
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
        aria-label={`Tokens of ${plural(turns.length, 'turn')}, at most ${formatNumber(most)} in one`}
      >
        {shown.map((turn, index) => (
          <TurnBar turn={turn} most={most} left={(index / shown.length) * 100} width={100 / shown.length} />
        ))}
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

interface TurnBarProps {
  turn: SessionTotals['turns'][number];
  /** The tokens of the highest bar. */
  most: number;
  left: number;
  width: number;
}

/** The tokens of one turn, one kind above the other. */
function TurnBar({ turn, most, left, width }: TurnBarProps) {
  let top = 40;
  return (['cached', 'fresh', 'answer'] as const).map((kind) => {
    const height = (turn[kind] / most) * 40;
    top -= height;
    return <rect class={`k-${kind}`} x={left + width * 0.1} y={top} width={width * 0.8} height={height} />;
  });
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

/** Cost so far, turn by turn, as far as prices of the models are known. */
function Cost({ totals: { turns, models } }: { totals: SessionTotals }) {
  if (models.length === 0 || !hasTokens(turns)) return null;
  const unknown = models.filter(({ prices }) => !prices).map(({ model }) => safeText(model));
  let sum = 0;
  const sums = turns.map(({ cost }) => (sum += cost ?? 0));
  if (sum === 0) return <UnknownCost models={unknown} />;
  const points = sums.map(
    (soFar, index) => `${((index + 1) / sums.length) * 100},${40 - (soFar / sum) * 39}`,
  );
  return (
    <figure>
      <figcaption>Cost so far: about {dollarText(sum)}</figcaption>
      <svg
        class="turn-plot"
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Cost so far over ${plural(turns.length, 'turn')}, ${dollarText(sum)} in the end`}
      >
        <polygon class="k-cost" points={`0,40 ${points.join(' ')} 100,40`} />
      </svg>
      {models.map(
        ({ model, prices }) =>
          prices && (
            <p class="meta">
              {safeText(model)}: ${prices.input} new, ${prices.cached ?? prices.input} cached, $
              {prices.output} answer per million tokens
            </p>
          ),
      )}
      {unknown.length > 0 && <p class="meta">No price is known for {unknown.join(', ')}.</p>}
      <details>
        <summary>Cost as a table</summary>
        <Table
          columns={['Turn', 'Cost', 'So far']}
          rows={turns.map(({ cost }, index) => [
            index + 1,
            cost === null ? 'not known' : dollarText(cost),
            dollarText(sums[index]!),
          ])}
        />
      </details>
    </figure>
  );
}

function UnknownCost({ models }: { models: readonly string[] }) {
  return (
    <figure>
      <figcaption>Cost so far: not known</figcaption>
      <p class="meta">
        No price is known for {models.join(', ') || 'this model'}. models.json in the state folder takes one.
      </p>
    </figure>
  );
}

function dollarText(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
