import type { PlacesByReason } from './secret-places.js';

/** Folders of these names anywhere, with everything in them. */
export const runLaterFolders: PlacesByReason = [
  // `git~1` is its short name on file systems with names of eight letters.
  ['git runs hooks and programs named in its folder', ['.git', 'git~1']],
  ['mercurial runs hooks and programs named in its folder', ['.hg']],
  ['it decides who may log in, and what ssh runs', ['.ssh']],
  ['it holds the settings and tools of Toolwright', ['.toolwright']],
  ['agents take skills and instructions from this folder', ['.agents']],
  ['editors run tasks from this folder', ['.vscode', '.idea', '.zed', '.fleet', '.vs']],
  ['editors run commands from this folder', ['.devcontainer']],
  ['editors read their instructions from this folder', ['.cursor']],
  [
    'continuous integration runs what is in this folder',
    [
      ...['.github', '.gitlab', '.circleci', '.ci', '.buildkite', '.gitea', '.forgejo', '.woodpecker'],
      ...['.teamcity', '.semaphore'],
    ],
  ],
  ['git hooks live in this folder', ['.husky']],
  [
    'it holds the rights and hooks of another agent',
    [
      ...['.claude', '.codex', '.gemini', '.qwen', '.roo', '.opencode', '.kiro', '.amazonq', '.cline'],
      ...['.clinerules', '.windsurf', '.continue', '.goose', '.augment', '.trae', '.junie', '.crush'],
      ...['.factory', '.openhands', '.kilocode', '.copilot'],
    ],
  ],
];

/** Files of these names anywhere. */
export const runLaterFiles: PlacesByReason = [
  ['git fetches what it names', ['.gitmodules']],
  ['it can name programs for git to run', ['.gitattributes', '.gitconfig']],
  ['it names MCP servers to start', ['.mcp.json']],
  ['it decides which files tools leave alone', ['.toolwrightignore']],
  ['direnv runs it', ['.envrc']],
  ['rvm runs it', ['.rvmrc']],
  ['it decides where packages come from', ['.npmrc']],
  ['it decides what yarn runs', ['.yarnrc.yml', '.yarnrc']],
  ['pnpm runs it', ['.pnpmfile.cjs']],
  ['mise runs what is in it', ['mise.toml', '.mise.toml']],
  [
    'continuous integration runs it',
    [
      ...['.gitlab-ci.yml', '.travis.yml', 'Jenkinsfile', 'azure-pipelines.yml', 'bitbucket-pipelines.yml'],
      ...['appveyor.yml', '.appveyor.yml', '.cirrus.yml', '.drone.yml', '.woodpecker.yml'],
    ],
  ],
  [
    'the shell runs it at start',
    [
      ...['.bashrc', '.bash_profile', '.bash_login', '.bash_aliases', '.profile', '.zshrc', '.zshenv'],
      ...['.zprofile', '.zlogin', '.kshrc', '.cshrc', '.tcshrc', '.login', 'config.fish'],
    ],
  ],
  ['the shell runs it at exit', ['.bash_logout', '.zlogout']],
  ['it runs when somebody logs in', ['.xinitrc', '.xprofile', '.xsession', '.xsessionrc']],
  ['it decides what runs when somebody logs in', ['.pam_environment']],
  ['the shell reads key bindings from it', ['.inputrc']],
  ['editors run it when they start here', ['.exrc', '.vimrc', '.gvimrc', '.lvimrc', '.nvimrc', '.nvim.lua']],
  ['editors run it when they open a file here', ['.dir-locals.el']],
  ['editors run commands from it', ['.devcontainer.json']],
  ['debuggers run it when they start here', ['.gdbinit', '.lldbinit', '.pdbrc']],
  ['interpreters run it when they start here', ['.Rprofile', '.ghci', '.irbrc', '.pryrc']],
  ['git hooks are made from it', ['.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.yml']],
  [
    'it holds the rights or instructions of another agent',
    [
      ...['opencode.json', 'opencode.jsonc', 'crush.json', '.crush.json', '.aider.conf.yml', '.roomodes'],
      ...['.cursorrules', '.windsurfrules', '.roorules', '.goosehints'],
    ],
  ],
];

/** Files with these name endings anywhere. */
export const runLaterEndings: PlacesByReason = [['editors run tasks from it', ['.code-workspace']]];

/** Paths in a home that programs run or take orders from, relative to it. */
export const runLaterInHome: PlacesByReason = [
  ['programs take their orders from it', ['.config']],
  [
    'git runs programs named in it',
    ['.config/git', '.git-templates', '.git_template', '.githooks', '.tigrc'],
  ],
  [
    'other version control runs programs named in it',
    ['.config/hg', '.hgrc', '.jjconfig.toml', '.subversion/config'],
  ],
  [
    'it runs when somebody logs in',
    [
      ...['.config/autostart', '.config/autostart-scripts', '.config/plasma-workspace', '.config/systemd'],
      ...['.local/share/systemd', '.config/environment.d', '.config/upstart', '.config/crontab'],
      ...['.local/share/dbus-1', 'Library/LaunchAgents', '.kde', '.kde4', '.fluxbox', '.dwm', '.xmonad'],
    ],
  ],
  [
    'the desktop runs what is in it',
    [
      ...['.config/awesome', '.config/bspwm', '.config/hypr', '.config/i3', '.config/sway', '.config/sxhkd'],
      ...['.i3', '.local/share/applications', '.local/share/gnome-shell', '.local/share/nautilus/scripts'],
      ...[
        '.config/mimeapps.list',
        '.config/user-dirs.dirs',
        '.mailcap',
        '.forward',
        '.procmailrc',
        '.Xresources',
      ],
      ...['.xbindkeysrc', '.Xdefaults', '.local/share/kio', '.local/share/kservices5', '.local/share/nemo'],
      ...['.local/share/nautilus-python', '.local/share/mime', '.local/share/flatpak/overrides', 'Desktop'],
      ...['.hammerspoon', '.skhdrc', '.yabairc', '.aerospace.toml', '.task/hooks', '.taskrc', '.newsboat'],
    ],
  ],
  [
    'the shell runs what is in it',
    [
      ...['.bash_completion', '.bashrc.d', '.config/bash', '.config/elvish', '.config/fish'],
      ...['.config/nushell', '.config/powershell', '.config/zsh', '.local/share/bash-completion'],
      ...['.local/share/fish', '.oh-my-bash', '.oh-my-zsh', '.zinit', '.zsh', '.zshrc.d'],
      ...['.config/direnv', '.direnvrc', '.config/mise', '.config/starship.toml', '.cargo/env', '.aliases'],
      ...['.bash_completion.d', '.exports', '.functions', '.mkshrc', '.shinit', '.shrc', '.xonshrc'],
    ],
  ],
  [
    'the terminal runs what is in it',
    [
      ...['.config/alacritty', '.config/ghostty', '.config/kitty', '.config/tmux', '.config/wezterm'],
      ...['.screenrc', '.tmux', '.tmux.conf', '.wezterm.lua', '.alacritty.toml', '.alacritty.yml', '.byobu'],
      ...['.hyper.js', '.warp'],
    ],
  ],
  [
    'programs that you start lie in it',
    [
      ...['.asdf', '.bun/bin', '.cargo/bin', '.deno/bin', '.dotnet', '.fnm', '.ghcup', '.goenv', '.jenv'],
      ...['.juliaup', '.linuxbrew', '.local/bin', '.local/lib', '.local/pipx', '.local/share/fnm'],
      ...['.local/share/mise', '.local/share/pipx', '.local/share/pnpm', '.local/share/uv', '.nodenv'],
      ...['.npm-global', '.nvm', '.opam', '.poetry', '.pub-cache/bin', '.pyenv', '.rbenv', '.rustup', '.rvm'],
      ...['.sdkman', '.volta', '.yarn/bin', 'bin', 'go/bin', 'miniconda3', 'anaconda3', 'miniforge3'],
      ...[
        '.cabal/bin',
        '.cache/rebar3/bin',
        '.composer/vendor',
        '.guix-profile',
        '.helm',
        '.krew',
        '.luarocks',
      ],
      ...['.local/share/helm', '.local/share/virtualenvs', '.mix/archives', '.mix/escripts', '.nix-defexpr'],
      ...[
        '.nix-profile',
        '.packer.d',
        '.phpbrew',
        '.plenv',
        '.roswell',
        '.virtualenvs',
        'Applications',
        'perl5',
      ],
      ...['.node_modules', '.node_libraries', 'node_modules'],
    ],
  ],
  [
    'editors run what is in it',
    [
      ...[
        '.vim',
        '.config/vim',
        '.config/nvim',
        '.local/share/nvim',
        '.local/share/vim',
        '.emacs',
        '.emacs.d',
      ],
      ...['.config/emacs', '.config/doom', '.doom.d', '.spacemacs', '.config/helix', '.config/Code'],
      ...['.config/VSCodium', '.config/Cursor', '.config/zed', '.config/sublime-text', '.config/JetBrains'],
      ...['.local/share/JetBrains', '.vscode-server', '.cursor-server', '.ideavimrc'],
    ],
  ],
  [
    'interpreters run it when they start',
    [
      ...['.ipython', '.jupyter', '.julia/config', '.octaverc', '.psqlrc', '.pythonrc', '.pythonrc.py'],
      ...['.sbclrc', '.sqliterc', '.guile', '.config/matplotlib', '.config/node', '.clisprc', '.erlang'],
      ...['.iex.exs', '.maximarc', '.ocamlinit', '.perldb', '.psysh', '.rdbgrc', '.rdebugrc'],
    ],
  ],
  [
    'it decides where packages come from and what builds run',
    [
      ...['.bunfig.toml', '.cargo/config', '.cargo/config.toml', '.condarc', '.config/pip', '.config/pnpm'],
      ...['.config/yarn', '.gemrc', '.gradle/init.d', '.gradle/init.gradle', '.m2/extensions.xml', '.pip'],
      ...[
        '.sbt',
        '.config/go',
        '.config/uv',
        '.config/containers',
        '.ansible',
        '.ansible.cfg',
        '.ant',
        '.asdfrc',
      ],
      ...['.cabal/config', '.cpan', '.default-npm-packages', '.mambarc', '.mavenrc', '.stack/config.yaml'],
      ...['.tool-versions', '.vagrant.d', '.k9s'],
    ],
  ],
  [
    'programs take options from it',
    ['.curlrc', '.config/curlrc', '.ripgreprc', '.wgetrc', '.lessfilter', '.lesskey', '.nanorc'],
  ],
];

/** Folders that the machine itself runs on. They matter when the workspace is the whole disk. */
export const runLaterOfSystem: PlacesByReason = [
  [
    'the machine runs what is in it',
    [
      ...['/bin', '/boot', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/nix', '/opt', '/sbin', '/snap'],
      ...['/usr', '/var/spool/cron', '/var/spool/at', '/var/lib/systemd', '/Library', '/System'],
    ],
  ],
];

/** Programs run these by themselves: when a folder is opened in an editor, or with every git command. */
export const runUnasked: ReadonlySet<string> = new Set([
  ...['.git', '.husky', '.toolwright', '.mcp.json'],
  ...['.vscode', '.idea', '.devcontainer', '.zed', '.cursor'],
]);

/** Changing one of these does nothing at once, but something runs it later. */
export const runsOnRequest =
  /^(package\.json|makefile|gnumakefile|justfile|rakefile|dockerfile|build\.rs|setup\.py|conftest\.py|taskfile\.ya?ml|.*\.mk)$/;
