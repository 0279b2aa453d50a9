import { SkillsError } from '../../../errors.ts'
import { readTextUpTo } from '../../../util/read-up-to.ts'

/** Upper bound of a secrets file. */
const MAX_BYTES = 1024 ** 2
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

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

/** Reads a file of NAME=value lines; `#` starts a comment line. */
export function readSecretsFile(path: string): Map<string, string> {
  const secrets = new Map<string, string>()
  readSecretsText(path)
    .split(/\r?\n/)
    .forEach((line, index) => {
      if (line.trim() === '' || line.trimStart().startsWith('#')) return
      const at = line.indexOf('=')
      const name = line.slice(0, Math.max(0, at)).trim()
      if (!NAME.test(name)) {
        // The line itself may be a secret, so the message has only its number.
        throw new SkillsError('usage/invalid', `Line ${index + 1} of "${path}" is not NAME=value`, {
          hint: 'Write one NAME=value a line, and # before comments',
        })
      }
      secrets.set(name, stripQuotes(line.slice(at + 1).trim()))
    })
  return secrets
}

function stripQuotes(value: string): string {
  return /^(?:"[^"]*"|'[^']*')$/.test(value) ? value.slice(1, -1) : value
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
