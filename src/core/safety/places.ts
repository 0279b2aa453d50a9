/** Paths and names that stand for data or power of the user, in prose and in code. */
export const PLACES = {
  /** Private keys, tokens and passwords on disk. */
  credentials:
    /\.ssh(?:[/\\](?:(?:id_[\w*?]+|identity|config|(?!authorized_)[\w-]*key\w*)(?![\w-]|\.pub)|\*(?!\.pub))|[/\\]?(?=["'`\s*,;)]|$)|(?=[/\\](?:["'`\s,;)]|$)))|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.aws[/\\](?:credentials|config)?|(?<=["'`(/])\.aws(?=["'`])|\.config[/\\]gcloud|application_default_credentials|\.azure[/\\]|\.kube[/\\]config|\bkubeconfig\b|\.docker[/\\]config\.json|(?<![\w])[._]netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.gnupg|\.config[/\\]gh[/\\]hosts|\.password-store|\.vault-token|\/etc\/shadow|\/proc\/(?:self|\*|\d+|\$\{?\w+\}?)\/environ|169\.254\.169\.254|metadata\.google\.internal|wallet\.dat|\.electrum|\.config[/\\]solana\b|\.ethereum[/\\]keystore|keystore[/\\]UTC--|\.terraform\.d[/\\]credentials|\.config[/\\](?:rclone|op|hub|heroku|doctl|configstore)\b|\.s3cfg\b|\.boto\b|\.pgpass\b|\.my\.cnf\b|\.cargo[/\\]credentials|\.gem[/\\]credentials|\.composer[/\\]auth\.json|share[/\\]keyrings|\.kdbx\b|\.oci[/\\]config|\.databrickscfg|\.m2[/\\]settings\.xml|huggingface[/\\]token|\.kaggle[/\\]kaggle\.json|\.bitcoin[/\\]|\.config[/\\]sops|\.age[/\\]/gi,
  /** Cookies and passwords of browsers, keychains. */
  vaults:
    /\bLogin Data\b|(?:Chrome|Chromium|Brave|Edge|Firefox)[^\n]{0,80}\bCookies\b|\bcookies\.sqlite\b|\blogins\.json\b|\bkey4\.db\b|Local Storage[/\\]leveldb|security\s+(?:find-(?:generic|internet)-password|dump-keychain|export)|login\.keychain|secret-tool\s+(?:lookup|search)|\bkeyring\.get_(?:password|credential)|CryptUnprotectData|\bbrowser_?cookie3?\b|\bgit\s+credential(?:-\w+)?\s+(?:fill|get)\b|[/\\]\.thunderbird\b|[/\\]ImapMail\b|Library[/\\]Mail\b|nkbihfbeogaeaoehlefnkodbefgpgknn|\bMetaMask[/\\]/gi,
  /** Files of secrets of a project. */
  dotenv:
    /(?<![\w.$)\]}])\.env(?:\.(?:local|prod|production|staging|development))?(?![\w(.-])|[/\\]\.env\b(?!\.(?:example|sample|template))/gi,
  /** The home folder or whole folders of it, that are packed or walked through. */
  home: /\bfor\s+\w+\s+(?:in|of)\s*[[(](?=[^\n]{0,120}["']Documents["'])[^\n]{0,120}["'](?:Desktop|Pictures|Downloads)["']|\b(?:tar|zip|7z|rsync|rclone|scp)\s[^\n|]{0,120}?["'\s](?:~|\$\{?HOME\}?)(?:\/(?:\.(?:ssh|aws|kube|gnupg|config)|Documents|Desktop|Pictures|work|projects?))?["']?\/?(?=\s|$|\))|(?:\.add|make_archive|os\.walk|copytree|scandir|cpSync|\bglob)\([^)\n]{0,80}["'`]~["'`/]?\s*[,)]|["']~["']\)?\.(?:rglob|glob|iterdir|walk)\(/g,
  /** Commands history. */
  history: /\.(?:bash|zsh|python|psql|mysql|node_repl)_history\b|\bfish_history\b/gi,
  /** All environment variables at once. */
  environment:
    /\bdict\(\s*os\.environ\s*\)|\bos\.environ\.items\(\)|\{\s*\*\*os\.environ\s*\}|json\.dumps\(\s*(?:dict\()?os\.environ|str\(\s*os\.environ\s*\)|JSON\.stringify\(\s*process\.env\b|Object\.(?:entries|keys(?!\(process\.env\)\.filter)|values|assign)\([^)]{0,10}process\.env\s*\)|\{\s*\.\.\.process\.env\s*\}|(?:^|[|;&`]\s*|(?<![\w.\])])\(\s*)(?:env|printenv|set|export -p|declare -x)\s*(?=[|)`>]|$)|Get-ChildItem\s+env:|(?<!\benv["']?)\s*:\s*process\.env\s*[,}\n)]|(?:stringify|dumps|\.end|\.send|\.write)\([^\n]{0,200}?_TOKEN\b[^\n]{0,100}?_(?:TOKEN|SECRET|KEY)\b|\bENV\.to_(?:h|json)/gim,
  /** All commits of a repository. */
  repository:
    /\bgit\b["',\s([]{1,6}(?:log\b["',\s][^\n]{0,60}(?:["'\s]-p\b|--patch\b)|bundle\b["',\s]{1,4}create|archive\b|format-patch\b)/g,
  /** Data of agents: transcripts, memory, settings with tokens. */
  agents:
    /(?:~|\$\{?HOME\}?|\/Users\/\w+|\/home\/\w+|Path\.home\(\)|homedir\(\))["']?\)?[/\\, "']{1,4}\.(?:claude|codex|cursor|gemini|openclaw|clawdbot|moltbot|windsurf|continue|aider|copilot)\b(?:[/\\]\w[\w./\\*-]*)?|\.claude[/\\](?:projects|history|credentials|\.credentials|settings|memory|todos)|\.claude\.json\b|\.codex[/\\](?:auth|sessions|history|config)|\.openclaw[/\\]|\bMEMORY\.md\b|\bSOUL\.md\b|Claude[/\\]claude_desktop_config/gi,
  /** Files that a shell, a scheduler or a session starts. */
  startup:
    /\.(?:bashrc|bash_profile|zshrc|zprofile|zshenv|profile|bash_login|xinitrc|xprofile)\b|\/etc\/(?:profile|rc\.local|cron[\w.]*|init\.d)|\bcrontab\b|\/var\/spool\/cron|config\.fish\b|Library[/\\]LaunchAgents|LaunchDaemons|\blaunchctl\s+(?:load|bootstrap)|\.config[/\\]systemd[/\\]user|\/etc\/systemd\/system|systemctl\s+(?:--user\s+)?enable|\.config[/\\]autostart|CurrentVersion\\+Run\b|schtasks\b|Register-ScheduledTask|\.git[/\\]hooks[/\\](?:pre|post|commit|prepare|update)[\w-]*|core\.hooksPath|init\.templateDir|\.ssh[/\\]authorized_keys|sitecustomize\.py|usercustomize\.py|\bPYTHONSTARTUP\b|LD_PRELOAD|\/etc\/ld\.so\.preload/gi,
  /** Files that give agents instructions, tools or rights. */
  instructions:
    /\b(?:CLAUDE|AGENTS|GEMINI|SOUL|MEMORY|HEARTBEAT|copilot-instructions)\.md\b|\.cursorrules\b|\.windsurfrules\b|\.(?:claude|cursor|codex|gemini|vscode|openclaw)[/\\](?:settings(?:\.local)?\.json|mcp\.json|config\.toml|hooks|commands|agents|rules|skills|openclaw\.json)|\.mcp\.json\b|\bmcpServers\b|claude_desktop_config\.json|\.claude\.json\b|\bclaude\s+mcp\s+add\b/gi,
} as const

export type SensitivePlace = keyof typeof PLACES

/** Tests whether a text names a place. */
export function namesPlace(place: SensitivePlace, text: string): boolean {
  const pattern = PLACES[place]
  pattern.lastIndex = 0
  const isNamed = pattern.test(text)
  // `matchAll` begins at `lastIndex`.
  pattern.lastIndex = 0
  return isNamed
}
