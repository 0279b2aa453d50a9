/** Words of other tools, and what a line with them means here: the word is replaced, the rest of the line stays. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  create: ['new'],
  scaffold: ['new'],
  check: ['lint'],
  validate: ['lint'],
  rules: ['lint', '--rules'],
  eval: ['test', '--evals'],
  add: ['install'],
  ci: ['install', '--frozen'],
  upgrade: ['update'],
  rm: ['remove'],
  uninstall: ['remove'],
  find: ['search'],
  show: ['info'],
  run: ['exec'],
  ls: ['list'],
  console: ['serve', '--open'],
  version: ['--version'],
}

/** For hints: a line, and words that may mean it. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['list', 'ls', 'all'],
  ['remove', 'rm', 'delete', 'del', 'uninstall', 'revoke', 'unset'],
  ['install', 'add', 'download', 'pull', 'fetch', 'get', 'import'],
  ['new', 'create', 'generate', 'scaffold', 'add', 'init'],
  ['lint', 'check', 'validate', 'format', 'fmt', 'fix'],
  ['info', 'show', 'inspect', 'scan', 'vet', 'view', 'get'],
  ['describe', 'show', 'explain', 'inspect', 'info'],
  ['read', 'cat', 'open', 'view'],
  ['exec', 'run', 'call', 'invoke'],
  ['pack', 'build', 'bundle', 'zip', 'archive'],
  ['publish', 'deploy', 'release', 'push', 'upload'],
  ['serve --open', 'dev', 'playground', 'ui', 'web', 'dashboard', 'studio'],
  ['serve', 'start', 'server', 'up'],
  ['runs', 'history', 'logs', 'log', 'ps', 'jobs'],
  ['config', 'settings', 'set'],
  ['keys', 'key', 'keygen', 'login', 'auth'],
  ['outdated', 'status'],
  ['doctor', 'health', 'env', 'setup'],
  ['deps', 'dependencies', 'packages'],
  ['test', 'eval', 'evals', 'spec'],
]

/** Words that mean a command, as a line names them; undefined for a command's own name. */
export function findAliases(name: string): string[] {
  return Object.entries(ALIASES).flatMap(([word, line]) =>
    line.length === 1 && line[0] === name ? [word] : [],
  )
}

/** The one of these names that another word for the same means. */
export function findSynonym(word: string, names: readonly string[]): string | undefined {
  const asked = word.toLowerCase()
  for (const group of SYNONYMS) {
    const [meant = ''] = group
    const [command = ''] = meant.split(' ')
    if (group.includes(asked) && names.includes(command)) return meant
  }
  return undefined
}
