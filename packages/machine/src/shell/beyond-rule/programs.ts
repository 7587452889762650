import { building } from '../models/building.js';
import { network } from '../models/network.js';
import { modelOf } from '../models/programs.js';
import { sameFor } from '../name-lists.js';
import { developmentReach } from './development.js';
import { gitReach } from './git.js';
import { interpreterReach } from './interpreters.js';
import type { ProgramReach, ReachTable } from './program-reach.js';
import { systemReach } from './systems.js';

const nodePackages =
  '--script-shell= --shell= --prefix= -C= --dir= --cwd= --node-options= --userconfig= --globalconfig= --config= --workspace= -w= --workspaces --ws --filter= -F= --recursive -r --workspace-root --include-workspace-root --init-module= --onload-script= --git= --editor= --viewer= --browser= --globalignorefile= --location= --global -g --cache= --registry= --call= -c= --package= -p= --shell-emulator --use-yarnrc= --modules-folder= --top-level --use-node-version= --pnpmfile= --global-pnpmfile= --ignore-workspace --global-dir= --store-dir= --virtual-store-dir= --lockfile-dir= --require= --import= --preload= --config-file= --tsconfig-override= --env-file=';
const nodePlain =
  '--silent -s --if-present --ignore-scripts --foreground-scripts --loglevel= -d -dd -ddd -q --quiet --verbose --json --long -l --offline --prefer-offline --no-audit --no-fund --save -S --save-dev -D --save-exact -E --save-optional -O --omit= --include= --production --legacy-peer-deps --dry-run --force -f --yes -y --no-save --tag= --color --no-color --reporter= --parallel --stream --frozen-lockfile --no-bail --depth= -A --all -a --watch --bail -t= --bun --hot --smol --only --inspect';

const nodeRunner: ProgramReach = { reaches: nodePackages, plain: nodePlain };

const maker: ProgramReach = {
  reaches:
    '-f= --file= --makefile= -C= --directory= -I= --include-dir= --eval= -E= -o= --old-file= --assume-old= -W= --what-if= --new-file= --assume-new= -e --environment-overrides',
  plain:
    '-B --always-make -j? --jobs? -k --keep-going -l? --load-average? -n --just-print --dry-run --recon -s --silent --quiet --no-silent -q --question -r --no-builtin-rules -R --no-builtin-variables -S --no-keep-going --stop -t --touch --trace -v --version -w --print-directory --no-print-directory -d --debug? -i --ignore-errors -p --print-data-base -L --check-symlink-times -O? --output-sync? -h --help --warn-undefined-variables -b -m',
  // `V=1` changes what is printed; any other variable may be what a recipe runs.
  operands: /^[\w.-]+\s*[:+?!]*=(?!\d*$)/,
};

const cargoCommand: ProgramReach = {
  reaches:
    '--manifest-path= --config= -C= --target-dir= --artifact-dir= --out-dir= -Z= --root= --path= --git= --registry= --index= --lockfile-path=',
  plain:
    '-p= --package= --release -r --all --workspace --all-targets --all-features --no-default-features -F= --features= --lib --bin= --bins --example= --examples --test= --tests --bench= --benches --doc --no-run --no-fail-fast -j= --jobs= --profile= --target= -q --quiet -v --verbose -vv --color= --message-format= --locked --offline --frozen --ignore-rust-version --keep-going --exclude= --timings --no-deps --open --check --fix --allow-dirty --allow-staged --edition --broken-code -f --format= --depth= -e= --edges= -i= --invert= --duplicates -d --dry-run -n --aggressive --precise= --recursive',
};

const buildReach: ReachTable = {
  npm: { ...nodeRunner, anywhere: true, looseNames: true },
  ...sameFor('pnpm yarn bun', nodeRunner),
  npx: { ...nodeRunner, passesOn: 1, looseNames: true },
  bunx: { ...nodeRunner, passesOn: 1 },
  ...sameFor('make gmake', maker),
  just: {
    reaches:
      '-f= --justfile= -d= --working-directory= --shell= --shell-arg= --shell-command -c= --command= --dotenv-path= --dotenv-filename= --set== --chooser= --choose -g --global-justfile --edit -e --tempdir=',
    plain:
      '-n --dry-run -q --quiet -v --verbose -l --list --summary --color= --no-deps --one -u --unsorted --yes --timestamp',
    operands: /^[\w-]+=(?!\d*$)/,
  },
  cmake: {
    reaches:
      '-C= -P= -S= -B= -D= -G= -T= -A= --toolchain= --preset= --workflow -E= --install= --open= --install-prefix= --find-package --debugger --profiling-output= --trace-redirect=',
    plain:
      '--build= --target= -t= -j? --parallel? --config= --clean-first --verbose -v -N -L --fresh -W= --trace --log-level=',
  },
  ninja: { reaches: '-C= -f= -t= -d=', plain: '-j= -k= -l= -n -v --verbose --quiet -w=' },
  meson: {
    reaches: '-C= --cross-file= --native-file= -D= --prefix= --wrapper= --gdb --gdb-path=',
    plain: '-v -j= --suite= -t=',
  },
  bazel: {
    reaches:
      '--bazelrc= --run_under= --override_repository= --override_module= --package_path= --output_base= --output_user_root= --workspace= --crosstool_top= --shell_executable= --action_env= --repo_env= --test_env= --extra_toolchains= --server_javabase= --host_jvm_args= --config= --spawn_strategy= --strategy=',
    plain:
      '--test_output= --test_filter= --jobs= -c= --keep_going -k --verbose_failures --nocache_test_results --runs_per_test=',
  },
  mvn: {
    words: true,
    reaches:
      '-f= --file= -s= --settings= -gs= --global-settings= -t= --toolchains= -gt= --global-toolchains= -D= --define= -P= --activate-profiles= -pl= --projects= -rf= --resume-from= -b= --builder= -ps= -is= -l= --log-file= --install-settings=',
    plain:
      '-q --quiet -X --debug -e --errors -o --offline -U -N -B --batch-mode -T= --threads= -am -amd -fae -ff -fn -ntp -v -V -nsu -C -c',
    operands: /^-[DP]|:/,
  },
  gradle: {
    words: true,
    reaches:
      '-b= --build-file= -c= --settings-file= -p= --project-dir= -I= --init-script= -g= --gradle-user-home= -D= --system-prop= -P= --project-prop= --include-build= --project-cache-dir= -F= -M= --write-verification-metadata= --java-home=',
    plain:
      '--tests= -x= --exclude-task= -q --quiet -i --info -d --debug -s --stacktrace -S --full-stacktrace --offline --parallel --no-parallel --daemon --no-daemon --continue --rerun-tasks --scan --no-scan --console= --build-cache --no-build-cache -m --dry-run --warning-mode= --profile --max-workers= -w --warn --refresh-dependencies -a -t --continuous',
    operands: /^-[DP]/,
  },
  sbt: {
    reaches: '-D= -J= --sbt-dir= --sbt-boot= --ivy= --java-home=',
    operands: /^(-[DJ]|eval|runMain|;|!)/,
  },
  ant: {
    words: true,
    reaches:
      '-f= -file= -buildfile= -lib= -propertyfile= -inputhandler= -find= -main= -logger= -listener= -s=',
    operands: /^-D/,
  },
  cargo: { reaches: `${cargoCommand.reaches}`, plain: cargoCommand.plain, operands: /^\+/, plus: true },
  rustc: {
    reaches: '-C= --codegen= -L= --extern= --sysroot= -Z= --out-dir= -o= --remap-path-prefix=',
    plain: '--edition= --crate-type= -O -g --test --cfg= -W= -A= -D= --emit= --error-format=',
  },
  go: {
    words: true,
    reaches:
      '-C= -exec= --exec= -toolexec= --toolexec= -vettool= --vettool= -overlay= --overlay= -modfile= --modfile= -o= -pkgdir= -gccgoflags= -ldflags= --ldflags= -gcflags= -asmflags= -compiler= -modcacherw -workfile= -outputdir= --outputdir= -pgo=',
    plain:
      '-run= -v -race -count= -short -cover -covermode= -coverpkg= -timeout= -bench= -benchtime= -benchmem -parallel= -p= -cpu= -failfast -list= -json -tags= -mod= -trimpath -x -n -a -i -u -t -d -s -l -e -f= -m -skip= -shuffle= -fuzz= -fuzztime= -vet= -coverprofile= -cpuprofile= -memprofile= -trace= -diff',
    operands: /^(\w+@|github\.com\/.*@)|@/,
  },
  gcc: {
    words: true,
    reaches:
      '-B= -wrapper= -fplugin= -specs= --specs= -x= -T= -fuse-ld= -L= -I= -include= -imacros= -o= -Xlinker= --sysroot= -isystem=',
    operands: /^@|^-(Wl|Wa|Wp|B|L|I|l|o|fplugin|specs|fuse-ld)/,
  },
  tsc: {
    words: true,
    reaches:
      '-p= --project= -b= --build= --outDir= --rootDir= --plugins= --declarationDir= --baseUrl= --tsBuildInfoFile= --generateTrace= --typeRoots= --outFile= --init',
    plain:
      '--noEmit --watch -w --strict --target= -t= --module= -m= --pretty --listFiles --skipLibCheck --incremental --jsx= --lib= --showConfig --noErrorTruncation',
    operands: /^@/,
  },
  gem: {
    reaches: '--config-file= -i= --install-dir= -n= --bindir= --source= -s= --clear-sources --norc',
    plain: '--version= -v= --no-document -N',
  },
  composer: {
    reaches: '-d= --working-dir= --global',
    plain: '-n --no-interaction -q --quiet -v -vv -vvv --no-dev --dev --dry-run',
  },
  pip: {
    reaches:
      '-r= --requirement= -c= --constraint= -e= --editable= -t= --target= --prefix= --root= --src= -i= --index-url= --extra-index-url= -f= --find-links= --python= --log= --cache-dir= --config-settings= -C= --global-option= --build-option= --proxy= --cert= --trusted-host= --user --editor= --report=',
    plain:
      '-q -v -U --upgrade --no-deps --pre --dry-run -y --yes --no-cache-dir --format= -l --local --outdated -o --not-required --disable-pip-version-check --no-input --isolated',
    operands: /^(\.{0,2}\/|\.$)|:\/\/|\.whl$|\.tar\.gz$|\.zip$| @ /,
  },
  uv: {
    reaches:
      '--directory= --project= --config-file= --python= -p= --with= --with-requirements= --with-editable= -r= --requirement= -e= --editable= --env-file= --index= --index-url= --default-index= --extra-index-url= --find-links= -f= --cache-dir= -c= --constraint= --constraints= --override= --overrides= --build-constraint= -t= --target= --prefix= --package= --script -s -m= --module= --gui-script --from= --python-preference= -C= --config-setting=',
    plain:
      '-q --quiet -v --verbose --offline --frozen --locked --no-sync --all-extras --extra= --dev --no-dev --group= --only-group= --no-cache -n --no-progress --color= --isolated --active --exact --native-tls',
  },
  poetry: {
    reaches: '-C= --directory= -P= --project= --source=',
    plain:
      '-q -v -vv -vvv -n --no-interaction --with= --without= --only= -E= --extras= --all-extras --no-root --sync --dry-run -G= --group= -D --dev',
  },
};

const reachTable: ReachTable = {
  ...buildReach,
  ...interpreterReach,
  ...developmentReach,
  ...systemReach,
  'g++': buildReach['gcc']!,
  clang: buildReach['gcc']!,
  'clang++': buildReach['gcc']!,
  cc: buildReach['gcc']!,
  pip3: buildReach['pip']!,
  uvx: { ...buildReach['uv']!, passesOn: 1 },
  gradlew: buildReach['gradle']!,
  mvnw: buildReach['mvn']!,
  git: gitReach,
};

/** Null for programs whose model judges every option by itself. */
export function reachOfProgram(program: string): ProgramReach | null {
  const name = program.split('/').at(-1) ?? '';
  if (Object.hasOwn(reachTable, name)) return reachTable[name]!;
  const isJudged =
    modelOf(program) !== undefined && !Object.hasOwn(building, name) && !Object.hasOwn(network, name);
  return isJudged ? null : {};
}

export const modelledReach: readonly string[] = Object.keys(reachTable);
