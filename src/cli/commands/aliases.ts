/** Words of other tools, and what a line with them means here: the word is replaced, the rest of the line stays. */
export const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['create', ['new']],
  ['scaffold', ['new']],
  ['check', ['lint']],
  ['validate', ['lint']],
  ['scan', ['vet']],
  ['rules', ['lint', '--rules']],
  ['eval', ['test', '--evals']],
  ['add', ['install']],
  ['ci', ['install', '--frozen']],
  ['upgrade', ['update']],
  ['rm', ['remove']],
  ['uninstall', ['remove']],
  ['find', ['search']],
  ['show', ['info']],
  ['view', ['info']],
  ['preview', ['info']],
  ['use', ['read']],
  ['cat', ['read']],
  ['run', ['exec']],
  ['ls', ['list']],
  ['console', ['serve', '--open']],
  ['version', ['--version']],
])

/** Commands that mean another one if the name of a skill follows. */
const NAMED_ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['init', ['new', '--kind', 'instruction', '--yes']],
  ['audit', ['vet']],
])
/** Words after "audit" that are about the log. */
const AUDIT_WORDS = ['ls', 'verify', 'export']

/** The line that a word means, by the word after it; undefined for a command itself. */
export function findAliasLine(
  word: string,
  next: string | undefined,
): readonly string[] | undefined {
  const isName = next !== undefined && !next.startsWith('-')
  const isOwn = word === 'audit' && AUDIT_WORDS.includes(next ?? '')
  return (isName && !isOwn ? NAMED_ALIASES.get(word) : undefined) ?? ALIASES.get(word)
}

/**
 * For hints: words and lines of which each may mean the others, the likeliest first. A line of two words counts as a whole.
 */
const SYNONYMS: readonly (readonly string[])[] = [
  ['list', 'ls', 'all'],
  ['remove', 'rm', 'delete', 'del', 'uninstall', 'revoke', 'unset'],
  ['install', 'add', 'download', 'pull', 'fetch', 'get', 'import', 'lock'],
  ['new', 'create', 'generate', 'scaffold', 'add', 'init'],
  ['lint', 'check', 'validate', 'format', 'fmt', 'fix'],
  ['info', 'show', 'inspect', 'view', 'get'],
  ['vet', 'scan', 'audit-skill', 'inspect', 'malware', 'safe', 'security', 'verdict'],
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
  ['update --dry-run', 'outdated', 'status'],
  ['install --pending', 'approve', 'pending'],
  ['install --import', 'lock import'],
  ['install --export', 'lock export'],
  ['install --merge', 'lock merge'],
  ['keys trust', 'trust add'],
  ['keys list --trusted', 'trust list'],
  ['keys remove --trusted', 'trust remove'],
  ['keys revoke', 'trust revoke'],
  ['keys rule', 'trust rule'],
  ['prompt --tools openai', 'tools'],
  ['info --digest', 'digest', 'hash', 'checksum'],
  ['doctor --data', 'data', 'data check', 'fsck'],
  ['doctor', 'health', 'env', 'setup'],
  ['deps', 'dependencies', 'packages'],
  ['test', 'eval', 'evals', 'spec'],
]

/** Words that mean a command. */
export function findAliases(name: string): string[] {
  return [...ALIASES].flatMap(([word, line]) =>
    line.length === 1 && line[0] === name ? [word] : [],
  )
}

/** The line that other words for the same mean, if its command is one of these names. */
export function findSynonym(words: string, names?: readonly string[]): string | undefined {
  const asked = words.toLowerCase()
  const meanings = SYNONYMS.filter((group) => group.includes(asked)).flat()
  return meanings.find((line) => names?.includes(line.split(' ')[0] ?? '') ?? true)
}
