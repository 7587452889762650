import { useSignal } from '@preact/signals';
import type { ContextNode } from '@toolwright/core/front-end';
import { formatBytes, formatNumber, plural } from '@toolwright/core/front-end';
import type { ComponentChildren } from 'preact';
import type { MachineView, Provider, ServerRow } from '../../wire/wire.js';
import { Foldable, Output, Table } from '../parts/display.js';
import { Loaded } from '../parts/loaded.js';
import { safeText } from '../parts/safe-text.js';

const parts = [
  ['tools', 'Tools'],
  ['servers', 'MCP servers'],
  ['memory', 'Memory and context'],
  ['disk', 'Disk'],
  ['doctor', 'Doctor'],
] as const;

export function MachinePage({ parts: [wanted = 'tools'] }: { parts: string[] }) {
  const part = parts.find(([name]) => name === wanted)?.[0] ?? 'tools';
  return (
    <>
      <h1>Machine</h1>
      <nav class="tabs" aria-label="Parts">
        {parts.map(([name, words]) => (
          <a href={`#/machine/${name}`} aria-current={name === part ? 'page' : undefined}>
            {words}
          </a>
        ))}
      </nav>
      {part === 'doctor' && <p class="meta">The examinations take some seconds.</p>}
      <Loaded method="read/machine" given={{ part }} draw={(view) => <Part view={view} />} />
    </>
  );
}

function Part({ view: { doctor, servers, tools, memory, disk } }: { view: MachineView }): ComponentChildren {
  if (doctor) return <Doctor rows={doctor} />;
  if (servers)
    return servers.length === 0 ? (
      <p class="empty">No MCP servers are configured. To add one: toolwright mcp add NAME -- COMMAND</p>
    ) : (
      servers.map((server) => <Server server={server} />)
    );
  if (tools) return <Tools tools={tools} />;
  if (memory) return <Memory memory={memory} />;
  if (disk) return <Disk rows={disk} />;
  return null;
}

function Doctor({ rows }: { rows: NonNullable<MachineView['doctor']> }) {
  return (
    <ul class="findings">
      {rows.map(({ state, what, detail }) => (
        <li>
          <span class={`tag ${state}`}>{state}</span> <strong>{safeText(what)}</strong> {safeText(detail)}
        </li>
      ))}
    </ul>
  );
}

function Server({ server }: { server: ServerRow }) {
  const { name, state, source, endpoint, runs, tools, bytes, tokens, problem, warnings } = server;
  return (
    <section class="server" aria-label={name}>
      <h2>
        {safeText(name)} <span class={`tag ${state}`}>{state}</span>
      </h2>
      <p class="meta">
        {plural(tools.length, 'tool')}, {formatBytes(bytes)}, about {formatNumber(tokens)} tokens of each
        request · {safeText(endpoint)} · {safeText(source)}
      </p>
      {runs !== '' && <p>{safeText(runs)}</p>}
      {problem && <p class="error">{safeText(problem)}</p>}
      {warnings.map((warning) => (
        <p class="error">{safeText(warning)}</p>
      ))}
      {tools.length > 0 && (
        <Table
          columns={['Tool', 'Pin', 'Description']}
          rows={tools.map((tool) => [tool.name, tool.pin, tool.description])}
        />
      )}
    </section>
  );
}

function Tools({ tools }: { tools: NonNullable<MachineView['tools']> }) {
  return (
    <>
      <p class="count">{plural(tools.length, 'tool')}</p>
      {tools.map((tool) => (
        <Tool key={tool.name} tool={tool} />
      ))}
    </>
  );
}

const providers: Provider[] = ['openai', 'openai-responses', 'anthropic', 'gemini'];

function Tool({ tool: { name, description, origin } }: { tool: NonNullable<MachineView['tools']>[number] }) {
  const provider = useSignal<Provider>('openai');
  return (
    <Foldable
      label={name}
      head={
        <>
          <span class="tool">{safeText(name)}</span>
          <span class="brief">{safeText(description.split('\n')[0] ?? '')}</span>
          <span class="meta">{safeText(origin)}</span>
        </>
      }
    >
      <Output text={description} label="Description" />
      <div class="choice" role="group" aria-label="As this provider gets it">
        {providers.map((each) => (
          <button
            type="button"
            aria-pressed={provider.value === each}
            onClick={() => (provider.value = each)}
          >
            {each}
          </button>
        ))}
      </div>
      <Loaded
        method="read/tool"
        given={{ name, provider: provider.value }}
        draw={({ declaration }) => (
          <Output text={JSON.stringify(declaration, null, 2)} label={`Schema for ${provider.value}`} />
        )}
      />
    </Foldable>
  );
}

function Memory({
  memory: { bytes, maxBytes, files, facts },
}: {
  memory: NonNullable<MachineView['memory']>;
}) {
  return (
    <>
      <h2>Context files</h2>
      <p class="meta">
        Together {formatBytes(bytes)} of at most {formatBytes(maxBytes)}. Those of inner folders are added
        when a tool first touches them.
      </p>
      {files.length === 0 ? <p class="empty">None.</p> : files.map((node) => <Context node={node} />)}
      <h2>Facts</h2>
      {facts.length === 0 ? (
        <p class="empty">No facts are remembered.</p>
      ) : (
        <Table columns={['Scope', 'Fact']} rows={facts.map(({ scope, fact }) => [scope, fact])} />
      )}
    </>
  );
}

function Context({ node }: { node: ContextNode }): ComponentChildren {
  return (
    <details class="context">
      <summary>
        {safeText(node.reference === undefined ? node.shown : `@${node.reference}`)}{' '}
        <span class="tag">{node.state}</span> {formatBytes(node.bytes)}
        {node.trusted ? '' : ' (as data, not as instructions)'}
      </summary>
      <Output text={node.text} label={safeText(node.shown)} />
      {node.imports.map((child) => (
        <Context node={child} />
      ))}
    </details>
  );
}

function Disk({ rows }: { rows: NonNullable<MachineView['disk']> }) {
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <>
      <p class="count">The state folder takes {formatBytes(all)}.</p>
      <Table
        columns={['Part', 'What it is', 'Files', 'Size']}
        rows={rows.map(({ name, what, files, bytes }) => [name, what, files, formatBytes(bytes)])}
      />
    </>
  );
}
