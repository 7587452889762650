import { sameFor, wordSet } from '../name-lists.js';
import { literalWord, type ShellWord } from '../shell-word.js';
import type { ProgramModel, ProgramTable, Reporter } from './model.js';
import { mayStartAny } from './starting/starters.js';

/** A program that always reaches the network. `writes` and `executes` list the options whose value is written or run. */
function reaching(
  spec: { writes?: string; executes?: string; starts?: RegExp; here?: true } = {},
): ProgramModel {
  const [writes, executes] = [wordSet(spec.writes ?? ''), wordSet(spec.executes ?? '')];
  return {
    offer: 1,
    examine: (words: readonly ShellWord[], report: Reporter) => {
      report.network(describe(words, report.who));
      words.forEach((word, index) => {
        const [, name = '', attached] =
          /^(--[\w-]+)=(.*)$/s.exec(word.text) ?? /^(-\w)(.+)$/s.exec(word.text) ?? [];
        const valueAfter = (options: ReadonlySet<string>): ShellWord | undefined => {
          if (options.has(word.text)) return words[index + 1];
          return options.has(name) && attached !== undefined ? literalWord(attached) : undefined;
        };
        const written = valueAfter(writes);
        if (written) report.write(written);
        const run = valueAfter(executes);
        if (run) report.runScript(run);
        if (spec.starts?.test(word.text) || (word.kind === 'dynamic' && word.prefix === '')) {
          report.unknownProgram(`${report.who} may start any program`);
        }
      });
      if (spec.here) report.write(literalWord('.'));
      return undefined;
    },
  };
}

/** The program and the host it names, where one can be seen. */
function describe(words: readonly ShellWord[], who: string): string {
  for (const { text } of words) {
    const host =
      /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?([\w.-]+)/i.exec(text)?.[1] ??
      /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)(?::|$)/.exec(text)?.[1];
    if (host !== undefined) return `${who} (${host})`;
  }
  return who;
}

const copies: ProgramModel = {
  offer: 1,
  examine: (words, report) => {
    const places = words.filter(({ prefix }) => !prefix.startsWith('-'));
    const remote = places.filter(({ text, kind }) => kind === 'dynamic' || /^[^/]*:/.test(text));
    if (remote.length > 0) report.network(describe(remote, report.who));
    report.doubt(`${report.who} copies files`);
    words.forEach((word, index) => {
      const next = words[index + 1];
      if (/^(-e|--rsh|--rsync-path|-S|-o)$/.test(word.text) && next) report.runScript(next);
      if (/^(--rsh|--rsync-path)=|^-e.|^-[a-zA-Z]*e$|^-o.?ProxyCommand|^-S./.test(word.text)) {
        report.unknownProgram(`${report.who} may start any program`);
      }
    });
    const target = places.at(-1);
    if (target && !remote.includes(target)) report.write(target);
    for (const source of places.slice(0, -1)) if (!remote.includes(source)) report.read(source);
    return undefined;
  },
};

export const network: ProgramTable = {
  curl: reaching({
    writes:
      '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --output-dir --etag-save --hsts --alt-svc',
    starts: /^(-K|--config|--engine)/,
  }),
  wget: reaching({
    writes: '-O --output-document -o --output-file -a -P --directory-prefix',
    executes: '--use-askpass',
    starts: /^(-e|--execute|--config)/,
    here: true,
  }),
  ssh: {
    offer: 1,
    examine: (words, report) => {
      mayStartAny(words, report);
      return reaching({ starts: /./ }).examine?.(words, report);
    },
  },
  scp: copies,
  rsync: copies,
  sftp: reaching({ starts: /^-(o|S|D)/ }),
  ...sameFor(
    'nc ncat netcat socat telnet ftp ping ping6 traceroute tracepath mtr dig host nslookup whois openssl gh glab hub aws gcloud az kubectl helm docker podman docker-compose terraform apt apt-get dnf yum apk pacman brew snap flatpak gem bundle composer conda mamba rustup nvm http httpie aria2c lynx w3m links mail sendmail nmap arp ip ifconfig iptables psql mysql redis-cli mongosh code xdg-open open',
    { ...reaching(), offer: 2, starts: ([, sub = '']) => (/^(run|exec)$/.test(sub) ? 2 : 0) },
  ),
  sqlite3: { reason: 'may change a database', offer: 0, examine: () => undefined },
};
