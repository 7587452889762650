import { sameFor } from '../name-lists.js';
import type { ReachTable } from './program-reach.js';

const vi = {
  reaches:
    '-c= -S= -u= -U= --cmd= -s= -i= -w= -W= -T= --remote= --servername= -P= --startuptime= --listen= --embed -l=',
  plain: '-R -n -e -E -d -o -O -p -b -N -y -Z --clean --noplugin',
  plus: true,
} as const;

/** Programs that run code: options before the script bring other code; what follows the script is the script's. */
export const interpreterReach: ReachTable = {
  node: {
    reaches:
      '-e= --eval= -p= --print= -r= --require= --import= --loader= --experimental-loader= -C= --conditions= --env-file= --env-file-if-exists= --inspect? --inspect-brk? --inspect-wait? --openssl-config= --icu-data-dir= --diagnostic-dir= --redirect-warnings= --report-dir= --snapshot-blob= --build-snapshot --experimental-config-file= --experimental-default-config-file --run= -i --interactive --test-reporter-destination= --test-global-setup= --watch-path= --cpu-prof-dir= --heap-prof-dir= --localstorage-file= --tls-keylog= --trace-event-file-pattern= --input-type= --title= --experimental-sea-config=',
    plain:
      '--test-reporter~ --test --watch --test-name-pattern= --test-only --test-skip-pattern= --test-concurrency= --test-timeout= --enable-source-maps --no-warnings --trace-warnings --max-old-space-size= --experimental-strip-types --check -c --throw-deprecation --no-deprecation --expose-gc --experimental-test-coverage --unhandled-rejections= --stack-trace-limit= --cpu-prof --heap-prof -v --version',
    passesOn: 1,
  },
  deno: {
    reaches:
      '-c= --config= --import-map= --lock= --env-file? --cert= -A --allow-all --allow-run? --allow-ffi? --allow-write? --allow-net? --allow-env? --allow-sys? --allow-import? --location= --seed= --unsafely-ignore-certificate-errors? --node-modules-dir? --vendor? --preload= --require= --inspect? --inspect-brk? --inspect-wait? -P? --permission-set? -o= --output= --root=',
    plain:
      '-q --quiet --watch? --no-check --check --cached-only --frozen --no-lock --parallel --filter= --fail-fast? --fix --json -L= --log-level= --coverage? --doc --reload? -r?',
  },
  python: {
    reaches: '-c= -m= -X= -i --check-hash-based-pycs=',
    plain: '-u -B -E -I -s -S -O -OO -q -v -W= -b -bb -V -d -P',
    passesOn: 1,
  },
  ruby: {
    reaches:
      '-e= -r= -I= -C= -X= -S= -x? --encoding= --external-encoding= -F= -i? -s -n -p -a -l -0? --dump= --enable= --backtrace-limit= --parser=',
    plain: '-w -W? -v -c --yjit --jit --disable= -T?',
    passesOn: 1,
  },
  perl: {
    reaches: '-e= -E= -I= -M= -m= -x? -S -i? -n -p -a -F= -d? -D= -s -0? -l? -C?',
    plain: '-w -W -c -T -t -v -u -U',
    passesOn: 1,
  },
  php: {
    reaches: '-r= -f= -c= -d= -z= -t= -S= -B= -R= -F= -E= -a -n --ini? -e',
    plain: '-l -q -w -s -v -m -i',
    passesOn: 1,
  },
  lua: { reaches: '-e= -l= -i', plain: '-v -E -W', passesOn: 1 },
  java: {
    words: true,
    reaches:
      '-cp= -classpath= --class-path= -jar= -javaagent= -agentlib= -agentpath= -p= --module-path= -m= --module= --patch-module= --add-modules= --upgrade-module-path= -XX -D= --source=',
    operands: /^@|^-(D|X|agent|javaagent)/,
    passesOn: 1,
  },
  Rscript: {
    reaches: '-e= --default-packages= -g= --gui=',
    plain: '--vanilla --verbose --no-save',
    passesOn: 1,
  },
  awk: {
    reaches: '-f= --file= -i= --include= -l= --load= -E= --exec= -e= --source= -D? --debug? -o? -p? -d?',
    plain: '-F= -v=',
    passesOn: 1,
  },
  ...sameFor('vim vi nvim view', vi),
  emacs: {
    reaches:
      '-l= --load= -f= --funcall= --eval= --execute= -u= --user= -L= --directory= --script= -x= --chdir= --init-directory= --daemon? -T= --insert=',
    plain: '-q -Q --batch -nw --no-init-file',
    plus: true,
  },
  less: {
    reaches:
      '-k= -K --lesskey-src= --lesskey-file= --lesskey-content= -o= -O= --log-file= --LOG-FILE= -t= --tag= -T= --tag-file= -p=',
    plain: '-N -S -R -F -X -i -n -E -e -q -M',
    plus: true,
  },
  man: {
    reaches:
      '-P= --pager= -H? --html? -C= --config-file= -M= --manpath= -l --local-file -L= --locale= -m= --systems= -p= --preprocessor= -E= --encoding= -T? --troff-device? -X? --gxditview? -t --troff -Z --ditroff -r= --prompt= -R= --recode=',
    plain:
      '-a -f -k -w -W -K -s= -S= -e= -i -I -u -d -D -7 --regex --wildcard --names-only --where --path --all --apropos --whatis --sections= --no-hyphenation --nh --nj',
  },
};
