import { SkillsError } from '../../../errors.ts'
import { readTextUpTo } from '../../../util/bytes/read-up-to.ts'

/** Upper bound of a secrets file. */
const MAX_BYTES = 1024 ** 2
const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/
const SINGLE_QUOTED = /^'([^']*)'\s*(?:#.*)?$/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Values of the operator's secrets. */
export interface SecretSource {
  /** Returns the values by name, of names that have one; of all names if `names` is undefined. */
  values(names?: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Opens a secrets file. It is read at each request; without a path there are no secrets. */
export function openSecretsFile(path: string | undefined): SecretSource {
  return {
    async values(names) {
      if (path === undefined || names?.length === 0) return new Map()
      const all = readSecretsFile(path)
      return names ? new Map([...all].filter(([name]) => names.includes(name))) : all
    },
  }
}

/**
 * Reads a file of NAME=value lines, such as `.env`: `#` starts a comment, `export` may precede a
 * name, and values may have quotes.
 */
export function readSecretsFile(path: string): Map<string, string> {
  const secrets = new Map<string, string>()
  readSecretsText(path)
    .split(/\r?\n/)
    .forEach((line, index) => {
      if (line.trim() === '' || line.trimStart().startsWith('#')) return
      const [, name, text = ''] = LINE.exec(line) ?? []
      const value = name === undefined ? undefined : parseSecretValue(text.trim())
      if (name === undefined || value === undefined) throw invalidLineError(path, index + 1)
      secrets.set(name, value)
    })
  return secrets
}

/** A value with quotes ends at the closing one; another at a comment. */
function parseSecretValue(text: string): string | undefined {
  const [quote] = text
  if (quote !== '"' && quote !== "'") return text.replace(/(?:^|\s+)#.*$/, '')
  const quoted = quote === '"' ? DOUBLE_QUOTED.exec(text) : SINGLE_QUOTED.exec(text)
  const content = quoted?.[1]
  if (content === undefined || quote === "'") return content
  return content.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character)
}

/** The line itself may be a secret, so the message has only its number. */
function invalidLineError(path: string, line: number): SkillsError {
  return new SkillsError('usage/invalid', `Line ${line} of "${path}" is not NAME=value`, {
    hint: 'Write one NAME=value a line, # before comments, and close quotes',
  })
}

function readSecretsText(path: string): string {
  try {
    return readTextUpTo(path, MAX_BYTES)
  } catch (cause) {
    throw new SkillsError('file/unreadable', `Cannot read the secrets file "${path}"`, {
      hint: 'Check its path and permissions',
      cause,
    })
  }
}
