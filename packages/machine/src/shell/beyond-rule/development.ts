import { sameFor } from '../name-lists.js';
import type { ProgramReach, ReachTable } from './program-reach.js';

const jest: ProgramReach = {
  reaches:
    '-c= --config= --rootDir= --roots= --setupFiles= --setupFilesAfterEnv= --globalSetup= --globalTeardown= --testRunner= --runner= --testEnvironmentOptions= --transform= --resolver= --projects= --preset= --moduleDirectories= --modulePaths= --moduleNameMapper= --snapshotResolver= --snapshotSerializers= --testSequencer= --testResultsProcessor= --dependencyExtractor= --filter= --haste= --cacheDirectory= --prettierPath= --watchPlugins= --globals= --coverageDirectory= --outputFile= --init',
  plain:
    '--env~ --testEnvironment~ --reporters~ -t= --testNamePattern= --testPathPattern= --testPathPatterns= --testPathIgnorePatterns= --testMatch= --testRegex= -i --runInBand -o --onlyChanged -u --updateSnapshot -w= --maxWorkers= --watch --watchAll --bail? -b --verbose --silent --ci --coverage --collectCoverage --collectCoverageFrom= --json --listTests --passWithNoTests --detectOpenHandles --forceExit --no-cache --runTestsByPath --findRelatedTests --changedSince= --shard= --testTimeout= --logHeapUsage --expand -e --color --errorOnDeprecated --randomize --seed= -f --onlyFailures',
};

const vitest: ProgramReach = {
  reaches:
    '-c= --config= -r= --root= --dir= --globalSetup= --setupFiles= --outputFile? --browser? --poolOptions= --execArgv= --project= --api? --coverage.customProviderModule= --coverage.reportsDirectory= --attachmentsDir= --cache.dir= --typecheck.checker= --typecheck.tsconfig= --runner= --diff= --snapshotSerializers= --sequence.sequencer= --vmMemoryLimit= --workspace= --configLoader= --inspect? --inspectBrk? --inspect-brk?',
  plain:
    '--environment~ --reporter~ --pool~ -t= --testNamePattern= -u --update --watch -w --run --bail= --silent? --coverage --ui --open --globals --dom --changed? --shard= --retry= --testTimeout= --hookTimeout= --maxWorkers= --minWorkers= --no-file-parallelism --fileParallelism --passWithNoTests --logHeapUsage --allowOnly --exclude= --related --hideSkippedTests --no-color --isolate --sequence.seed= --sequence.shuffle --coverage.include= --coverage.exclude= --coverage.enabled? --typecheck --expandSnapshotDiff --disableConsoleIntercept --printConsoleTrace --standalone',
};

const pytest: ProgramReach = {
  reaches:
    '-c= --config-file= --rootdir= --confcutdir= -p= -o= --override-ini= --basetemp= --import-mode= --pdbcls= --pdb --trace --pastebin= --junitxml= --junit-xml= --result-log= --log-file= --debug? --cov-config= --pyargs --html= --json-report-file= --tx= --rsyncdir= --dc= --ds= --django-settings-module= --settings=',
  plain:
    '-k= -m= -x -v -vv -vvv -q -qq -s -l -rA -ra -rs -rf -rx -rP -r= --exitfirst --verbose --quiet --capture= --showlocals --tb= --maxfail= --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --co --collect-only --durations= --durations-min= --markers --fixtures --no-header --no-summary --color= -n= --numprocesses= --dist= --cov? --cov-report= --no-cov --cov-branch --cov-append --cov-fail-under= --ignore= --ignore-glob= --deselect= -W= --pythonwarnings= --strict-markers --strict-config --strict --cache-show? --cache-clear --setup-show --setup-only --runxfail --randomly-seed= --timeout= --reuse-db --create-db --noconftest --log-level= --log-cli-level= --log-cli-format= --asyncio-mode= --snapshot-update --benchmark-only --benchmark-skip --count= --doctest-modules -h --version',
  // A file with more arguments.
  operands: /^@/,
};

const eslint: ProgramReach = {
  reaches:
    '-c= --config= --rulesdir= --parser= --plugin= --resolve-plugins-relative-to= -o= --output-file= --cache-location= --cache-file= --flag= --env-info --parser-options= --stdin-filename= --init',
  plain:
    '-f~ --format~ --fix --fix-dry-run --fix-type= --ext= --quiet --max-warnings= --cache --cache-strategy= --ignore-path= --ignore-pattern= --no-ignore --no-eslintrc --rule= --global= --env= --report-unused-disable-directives --color --no-color --debug --stdin --no-inline-config --no-error-on-unmatched-pattern --pass-on-no-patterns --no-warn-ignored --stats --concurrency=',
};

const bundler: ProgramReach = {
  reaches:
    '-c= --config= --config-name= --root= --base= --cwd= --outDir= --out-dir= -o= --output= --output-path= --plugin= --require= -r= --env-prefix= --host? --open? --configLoader= --configPlugin= --node-env= --env= --entry= --context= --merge --tsconfig= --servedir= --metafile=',
  plain:
    '--mode= -m= --watch -w --minify? --sourcemap? --port= --strictPort --force -f --clearScreen --logLevel= -l= --progress --color --stats? --silent --bundle --format= --platform= --target= --profile --debug? -d?',
};

const rspec: ProgramReach = {
  reaches: '-r= --require= -I= -O= --options= -o= --out= --init --drb? --deprecation-out= --default-path=',
  plain:
    '-f~ --format~ -e= --example= -t= --tag= -P= --pattern= --exclude-pattern= --fail-fast? --only-failures -n --next-failure --order= --seed= -b --backtrace -w --warnings -p? --profile? --color --no-color --dry-run -h',
};

const monorepo: ProgramReach = {
  reaches:
    '--cwd= --tasks-runner= --runner= --config= -c= --projects= -p= --filter= -F= --scope= --graph= --cache-dir= --env-mode= --api= --token= --prefix= --root= --exec= --global-turbo-config= --root-turbo-json= --outputStyle=',
  plain:
    '--target= -t= --all --parallel= --verbose --skip-nx-cache --skipNxCache --affected --base= --head= --concurrency= --force --dry-run --dry --no-bail --continue --summarize --only --since= --stream --no-cache',
};

/** Runners of tests, linters and bundlers: most of their options are about what to look at and how to print it. */
export const developmentReach: ReachTable = {
  jest,
  vitest,
  ...sameFor('pytest py.test', pytest),
  mocha: {
    reaches:
      '-r= --require= --config= -c= --package= --opts= --file= --import= --loader= -n= --node-option= --reporter-options= -O= --watch-files=',
    plain:
      '-R~ --reporter~ -u~ --ui~ -g= --grep= -f= --fgrep= -i --invert -b --bail -t= --timeout= --retries= -w --watch --parallel -p -j= --jobs= --exit --forbid-only --color --recursive --ignore= --extension= --spec= --sort -s= --slow= --full-trace --dry-run',
  },
  eslint,
  prettier: {
    reaches:
      '--config= --plugin= --plugin-search-dir= --find-config-path= --cache-location= --stdin-filepath= --support-info --file-info=',
    plain:
      '--parser~ --config-precedence= -w --write -c --check -l --list-different --ignore-path= --log-level= --loglevel= --cache --no-config --no-editorconfig --ignore-unknown -u --single-quote --tab-width= --print-width= --trailing-comma= --no-error-on-unmatched-pattern --end-of-line= --cache-strategy= --prose-wrap=',
  },
  biome: {
    reaches: '--config-path= --vcs-root= --log-path= --stdin-file-path=',
    plain:
      '--write --fix --unsafe --staged --changed --since= --diagnostic-level= --max-diagnostics= --colors= --log-level= --reporter= --no-errors-on-unmatched --error-on-warnings --only= --skip= --files-ignore-unknown= --formatter-enabled= --linter-enabled=',
  },
  stylelint: {
    ...eslint,
    reaches: `${eslint.reaches} --custom-syntax= --custom-formatter= --config-basedir=`,
  },
  ruff: {
    reaches: '--config= --cache-dir= -o= --output-file= --stdin-filename= --extension=',
    plain:
      '--fix --unsafe-fixes --diff --select= --ignore= --extend-select= --extend-ignore= --exclude= --line-length= --target-version= --preview --no-cache --statistics -q --quiet -v --verbose -e --exit-zero --watch -w --check --output-format= --show-fixes -n --isolated --fixable= --per-file-ignores=',
  },
  mypy: {
    reaches:
      '--config-file= --python-executable= --cache-dir= -m= --module= -p= --package= -c= --command= --custom-typeshed-dir= --shadow-file== --plugin= --install-types --html-report= --junit-xml= --txt-report= --xml-report= --any-exprs-report= --linecount-report= --package-root= --bazel',
    plain:
      '--strict --ignore-missing-imports --follow-imports= --show-error-codes --pretty --exclude= --python-version= --platform= -v --no-incremental --namespace-packages --explicit-package-bases --warn-unused-ignores --check-untyped-defs --disable-error-code= --enable-error-code= --no-error-summary',
  },
  black: {
    reaches: '--config= --stdin-filename= --code= -c=',
    plain:
      '--check --diff -q --quiet -v --verbose -l= --line-length= -t= --target-version= --include= --exclude= --extend-exclude= --force-exclude= --color --fast --safe -S -C --preview -x -W= --workers= --required-version=',
  },
  flake8: {
    reaches:
      '--config= --append-config= --output-file= --require-plugins= --enable-extensions= --bug-report --stdin-display-name=',
    plain:
      '--select= --ignore= --extend-ignore= --exclude= --max-line-length= --count --statistics -q -v --show-source --format= --isolated --per-file-ignores= -j= --jobs=',
  },
  pylint: {
    reaches:
      '--rcfile= --init-hook= --load-plugins= --output= --import-graph= --unsafe-load-any-extension= --generate-rcfile --source-roots=',
    plain:
      '-f~ --output-format~ --disable= -d= --enable= -e= -j= --jobs= --errors-only -E -r= --reports= -s= --score= --ignore= --fail-under= --recursive=',
  },
  rubocop: {
    reaches:
      '-c= --config= -r= --require= --plugin= -o= --out= --cache-root= --server --start-server -s= --stdin=',
    plain:
      '-f~ --format~ -a -A --auto-correct --autocorrect --autocorrect-all --only= --except= -l --lint -x -D -S -P --parallel --no-color --fail-level= -F --fail-fast',
  },
  rspec,
  rake: {
    reaches:
      '-f= --rakefile= -r= --require= -R= --rakelibdir= --rakelib= -I= --libdir= -e= --execute= -E= --execute-continue= -p= --execute-print= -C= --directory= -g --system -G --no-system',
    plain: '-T? -P -j? -m -n -q -s -t? --trace? -v --verbose -A -W? --tasks? --dry-run --silent --quiet',
    operands: /^\w+=(?!\d*$)/,
  },
  bundle: {
    reaches:
      '--gemfile= --path= --binstubs? --shebang= --system --standalone? --target-rbconfig= --trust-policy=',
    plain:
      '--jobs= -j= --retry= --quiet --verbose --local --without= --with= --deployment --frozen --no-cache',
  },
  playwright: {
    reaches:
      '-c= --config= --output= --tsconfig= --project= --ui-host= --ui-port= --test-list= --channel= -o= --save-har= --load-storage= --save-storage=',
    plain:
      '--reporter~ -g= --grep= --grep-invert= --headed --debug --ui -x --max-failures= -j= --workers= --retries= --repeat-each= --shard= --timeout= --list -u --update-snapshots? --last-failed --only-changed? --pass-with-no-tests --quiet --trace= --fully-parallel --forbid-only',
  },
  cypress: {
    reaches:
      '-C= --config-file= -c= --config= -P= --project= -b= --browser= -o= --reporter-options= -e= --env= --port= -k= --key=',
    plain:
      '-r~ --reporter~ -s= --spec= --headed --headless -q --quiet --record --tag= --component --e2e --no-exit --parallel',
  },
  nyc: {
    reaches: '--cwd= --nycrc-path= --require= -i= --temp-dir= -t= --report-dir= --cache-dir=',
    passesOn: 1,
  },
  c8: { reaches: '--config= -c= --src= --temp-directory= -o= --reports-dir=', passesOn: 1 },
  ava: {
    reaches: '--config= --node-arguments= --require=',
    plain:
      '--match= -m= --watch -w --verbose --serial -s --fail-fast --update-snapshots -u --timeout= -T= -c= --concurrency= --tap -t',
  },
  phpunit: {
    reaches:
      '-c= --configuration= --bootstrap= --include-path= -d= --extension= --printer= --loader= --cache-directory= --log-junit= --coverage-html= --generate-configuration --migrate-configuration --use-baseline= --generate-baseline=',
    plain:
      '--filter= --group= --exclude-group= --testsuite= --testdox --stop-on-failure --colors? -v --verbose --debug --no-coverage --order-by= --list-tests --repeat=',
  },
  ctest: {
    reaches:
      '-S= --script= -SP= -D= --test-dir= --build-and-test== --preset= -M= -T= --dashboard= -O= --output-log= --output-junit= --build-makeprogram= --test-command= --resource-spec-file= --build-project= -A= --add-notes=',
    plain:
      '-R= --tests-regex= -E= --exclude-regex= -L= -LE= -V -VV --verbose --output-on-failure -j? --parallel? -N --show-only? --rerun-failed --timeout= --stop-on-failure -C= --build-config= --repeat= -Q --progress --schedule-random -I=',
  },
  tox: {
    reaches:
      '-c= --conf= --root= --workdir= --override= -x= --installpkg= --discover= --result-json= --force-dep=',
    plain:
      '-e= -q -v -r --recreate -p? --parallel? --skip-pkg-install --notest -n -l --list -m= -f= --sitepackages',
  },
  nox: {
    reaches:
      '-f= --noxfile= --envdir= --extra-pythons= -P= --force-python= --download-python= --report= -db= --default-venv-backend= -fb= --force-venv-backend=',
    plain:
      '-s= --session= --sessions= -e= -k= --keywords= -t= --tags= -r --reuse-existing-virtualenvs -R -l --list -v --verbose --stop-on-first-error -x --no-install',
  },
  ...sameFor('vite webpack rollup esbuild parcel tsup', bundler),
  next: {
    reaches: '--experimental-https-cert= --experimental-https-key= --experimental-https-ca= -H= --hostname=',
    plain: '--turbo --turbopack -p= --port= --debug -d --profile --lint --no-lint --fix --strict --quiet',
  },
  ...sameFor('nx turbo lerna', monorepo),
  tsx: {
    reaches:
      '--tsconfig= --import= --require= -r= -e= --eval= -p= --print= --env-file= --loader= --watch-path= --include=',
    plain: '--watch --no-cache --test',
    passesOn: 1,
  },
  'ts-node': {
    reaches:
      '-P= --project= -r= --require= -e= --eval= -p= --print= -C= --compiler= --cwd= --dir= --script-mode --cwd-mode --transpiler= --scope-dir= -O=',
    plain: '-T --transpile-only --files --esm --swc -H',
    passesOn: 1,
  },
  'pre-commit': {
    reaches: '-c= --config= -t= --hook-type= --repo=',
    plain:
      '-a --all-files --files --show-diff-on-failure -v --verbose --color= --from-ref= --to-ref= -s= -o= --hook-stage=',
  },
};
