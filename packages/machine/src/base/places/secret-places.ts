/** Paths by what they hold, as the user reads it: "it holds keys and passwords of cloud services". */
export type PlacesByReason = readonly (readonly [why: string, places: readonly string[]])[];

/** Keys, passwords, tokens and histories in a home, relative to it. */
export const secretsInHome: PlacesByReason = [
  ['keys of ssh', ['.ssh']],
  [
    'keys to sign and decrypt',
    ['.gnupg', '.pki', '.age', '.config/age', '.config/sops', '.minisign', '.android', '.step', '.wireguard'],
  ],
  [
    'keys and passwords of cloud services',
    [
      ...['.aws', '.azure', '.boto', '.cloudflared', '.fly', '.kube', '.linode-cli', '.minikube', '.ngrok2'],
      ...['.oci', '.s3cfg', '.talos', '.terraform.d', '.terraformrc', '.vault-token', '.wrangler', '.kaggle'],
      ...['.config/.wrangler', '.config/doctl', '.config/gcloud', '.config/hcloud', '.config/helm'],
      ...['.config/linode-cli', '.config/netlify', '.config/ngrok', '.config/rclone', '.config/scw'],
      ...[
        '.config/stripe',
        '.local/share/com.vercel.cli',
        '.config/kaggle',
        '.aliyun',
        '.databrickscfg',
        '.expo',
      ],
      ...[
        '.netlify',
        '.pulumi',
        '.railway',
        '.sentryclirc',
        '.snowflake',
        '.supabase',
        '.config/supabase',
        '.tsh',
      ],
      ...['.vercel', '.wakatime.cfg', '.config/heroku', '.config/teleport'],
    ],
  ],
  [
    'tokens of forges and registries',
    [
      ...['.config/gh', '.config/git/credentials', '.config/glab-cli', '.config/hub', '.git-credentials'],
      ...['.bundle/config', '.cargo/credentials', '.cargo/credentials.toml', '.composer/auth.json'],
      ...['.config/composer/auth.json', '.config/configstore', '.config/containers/auth.json'],
      ...['.config/NuGet', '.config/pypoetry/auth.toml', '.docker', '.gem/credentials'],
      ...[
        '.gradle/gradle.properties',
        '.m2/settings-security.xml',
        '.m2/settings.xml',
        '.npmrc',
        '.nuget/NuGet',
      ],
      ...['.pypirc', '.subversion/auth', '.yarnrc.yml', '.cache/huggingface/token', '.huggingface'],
      ...['.condarc', '.config/pip/pip.conf', '.dockercfg', '.gist', '.hgrc', '.pip/pip.conf'],
    ],
  ],
  [
    'keys of agents and models',
    [
      ...['.claude.json', '.claude/.credentials.json', '.codex/auth.json', '.gemini', '.qwen', '.anthropic'],
      ...['.config/github-copilot', '.config/openai', '.openai', '.local/share/opencode/auth.json'],
      ...[
        '.config/opencode/auth.json',
        '.config/Code/User/globalStorage',
        '.config/Cursor/User/globalStorage',
      ],
      ...['.config/VSCodium/User/globalStorage'],
    ],
  ],
  ['settings, sessions and answers of Toolwright', ['.toolwright']],
  [
    'passwords',
    [
      ...['.config/1Password', '.config/Bitwarden CLI', '.config/keybase', '.config/op', '.cvspass'],
      ...['.local/share/gopass', '.local/share/keyrings', '.local/share/kwalletd', '.my.cnf', '.netrc'],
      ...['.password-store', '.pgpass', '.smbcredentials', '.snowsql', '.dbt/profiles.yml'],
      ...['.Xauthority', '.ICEauthority', 'Library/Keychains', '.config/Bitwarden', '.lastpass'],
      ...[
        '.config/filezilla',
        '.config/remmina',
        '.local/share/remmina',
        '.config/rustdesk',
        '.config/syncthing',
      ],
      ...['.local/state/syncthing', '.config/goa-1.0', '.local/share/Steam/config'],
    ],
  ],
  [
    'what browsers and mail programs remember',
    [
      ...['.config/BraveSoftware', '.config/chromium', '.config/google-chrome', '.config/microsoft-edge'],
      ...['.config/vivaldi', '.librewolf', '.mozilla', '.thunderbird', '.config/Signal', '.config/Slack'],
      ...[
        '.config/discord',
        '.config/evolution',
        '.local/share/evolution',
        '.config/neomutt',
        '.config/mutt',
      ],
      ...['.mutt', '.muttrc', '.fetchmailrc', '.mbsyncrc', '.msmtprc', '.offlineimaprc', '.irssi', '.purple'],
      ...['.weechat', '.config/weechat', '.config/qutebrowser', '.local/share/qutebrowser'],
    ],
  ],
  ['keys of wallets', ['.bitcoin', '.config/solana', '.electrum', '.ethereum']],
  [
    'what was typed earlier',
    [
      ...['.bash_history', '.irb_history', '.local/share/atuin', '.local/share/fish/fish_history'],
      ...['.local/state/bash/history', '.mysql_history', '.node_repl_history', '.psql_history'],
      ...[
        '.python_history',
        '.rediscli_history',
        '.sqlite_history',
        '.zsh_history',
        '.config/fish/fish_history',
      ],
      ...['.config/nushell/history.txt', '.dbshell', '.mongodb', '.mongosh', '.lesshst', '.viminfo'],
      ...['.aider.chat.history.md', '.aider.input.history'],
    ],
  ],
];

/** Secrets of the machine that the process may be able to read, above all as root. */
export const secretsOfSystem: PlacesByReason = [
  [
    'passwords of the machine',
    [
      ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/security/opasswd'],
      ...['/etc/sudoers', '/etc/sudoers.d', '/etc/ppp', '/etc/wpa_supplicant', '/etc/mysql/debian.cnf'],
      ...['/etc/NetworkManager/system-connections', '/etc/credstore', '/etc/credstore.encrypted'],
    ],
  ],
  [
    'keys of the machine',
    [
      ...['/etc/ssl/private', '/etc/pki/tls/private', '/etc/letsencrypt', '/etc/wireguard', '/etc/openvpn'],
      ...[
        '/etc/ipsec.secrets',
        '/etc/ipsec.d/private',
        '/etc/krb5.keytab',
        '/etc/kubernetes',
        '/etc/rancher',
      ],
      '/etc/docker',
    ],
  ],
];
