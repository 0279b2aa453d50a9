/** Places below the home from which something starts, or that agents obey. */
const PLACES: readonly (readonly [pattern: RegExp, effect: string])[] = [
  [
    /^\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin|kshrc)$/,
    'every new shell runs',
  ],
  [/^\.config\/fish\//, 'every new shell runs'],
  [/^\.ssh\/(?:authorized_keys2?|config|rc)$/, 'SSH obeys'],
  [/^\.config\/(?:systemd\/|autostart\/|upstart\/)/, 'the system starts'],
  [/^Library\/Launch(?:Agents|Daemons)\//, 'the system starts'],
  [/^crontab$/, 'cron starts'],
  [/(?:^|\/)\.git\/hooks\/[^.]+$/, 'git runs'],
  [/^\.config\/git\/(?:config|hooks\/)/, 'git obeys'],
  [/(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI)\.md$/i, 'agents obey'],
  [/(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|cursor\/rules\/.*)$/, 'agents obey'],
  [/(?:^|\/)\.github\/copilot-instructions\.md$/, 'agents obey'],
  [
    /(?:^|\/)\.claude\/(?:settings[^/]*\.json|(?:hooks|agents|commands|plugins|skills|rules)\/)/,
    'agents obey',
  ],
  [/(?:^|\/)\.agents\/skills\//, 'agents obey'],
  [/^\.claude\.json$/, 'agents obey'],
  [
    /^\.(?:codex|gemini|cursor|codeium|continue|copilot|opencode)\/.*\.(?:toml|json|md|ya?ml)$/,
    'agents obey',
  ],
  [/(?:^|\/)(?:\.mcp|mcp|claude_desktop_config|mcp_config)\.json$/, 'agents start'],
  [/(?:^|\/)\.vscode\/(?:tasks|settings|launch)\.json$/, 'the editor obeys'],
  [/^(?:\.local\/bin|bin|\.cargo\/bin|\.npm-global\/bin)\//, 'commands start'],
  [/site-packages\/(?:[^/]+\.pth|(?:site|user)customize\.py)$/, 'every Python runs'],
  [
    /(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|pypirc)$|^\.config\/pip\/pip\.conf$|^\.pip\/pip\.conf$/,
    'installers obey',
  ],
]

/** Keys with which a configuration of git starts programs. */
const GIT_PROGRAMS =
  /hooksPath|sshCommand|fsmonitor|\bpager\b|\beditor\b|helper|gpg\.program|insteadOf/i

/** Says what a written file leads to; undefined for a file that nothing starts or obeys. */
export function describePersistence(path: string, text: string): string | undefined {
  if (/(?:^|\/)\.git\/config$|^\.gitconfig$/.test(path)) {
    return GIT_PROGRAMS.test(text) ? 'git obeys' : undefined
  }
  return PLACES.find(([pattern]) => pattern.test(path))?.[1]
}
