import type { Span } from '../../skills/manifest/source.ts'
import { KNOWN_SECRETS, SECRET_HINT } from './known-secrets.ts'
import { isSampleSecret } from './sample-secret.ts'

/** A value in a file that looks like a secret. */
export interface FoundSecret {
  value: string
  /** Span of the value, without quotes. */
  span: Span
  /** Kind of a known secret. */
  kind?: string
  /** Name to which the value is assigned, if only the name reveals it. */
  target?: string
}

/** Limit on secrets per file; a hostile file can have millions. */
const MAX_SECRETS = 200

/** Finds all values that look like secrets, in order, without the samples of documents. */
export function findSecrets(file: string, text: string): FoundSecret[] {
  const found: FoundSecret[] = []
  const add = (secret: FoundSecret) => {
    const { start, end } = secret.span
    if (found.length === MAX_SECRETS) return
    if (!found.some(({ span }) => span.start < end && start < span.end)) found.push(secret)
  }
  for (const secret of findKnownSecrets(text)) add(secret)
  if (file === 'skill.toml') for (const secret of findListedSecrets(text)) add(secret)
  if (isAssigningFile(file)) for (const secret of findAssignedSecrets(text)) add(secret)
  return found.sort((a, b) => a.span.start - b.span.start)
}

function* findKnownSecrets(text: string): Generator<FoundSecret> {
  if (!SECRET_HINT.test(text)) return
  for (const { name, pattern } of KNOWN_SECRETS) {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0]
      const end = match.index + match[0].length
      if (isSampleSecret(value) || isElided(text, end) || !isMixed(name, value)) continue
      yield { value, kind: name, span: { start: end - value.length, end } }
    }
  }
}

/** True if dots continue the value: the author omitted the rest. */
function isElided(text: string, end: number): boolean {
  return /^(?:\.\.\.|\u2026)/.test(text.slice(end, end + 3))
}

/** Names with hyphens, such as those of CSS classes, also begin with "sk-". */
function isMixed(kind: string, value: string): boolean {
  if (kind !== 'an OpenAI key') return true
  return [/\d/, /[A-Z]/, /[a-z]/].every((part) => part.test(value))
}

/** True for code and settings; documents show too many values of examples. */
function isAssigningFile(file: string): boolean {
  return /\.(?:py|js|mjs|cjs|ts|mts|sh|bash|toml|json|ya?ml|ini|cfg)$/i.test(file)
}

const TARGET_HINT = /passw|secret|token|key|credential/i
const ASSIGNMENT =
  /\b([A-Za-z_][\w.-]{0,60})["']?[ \t]{0,4}(?::[ \t]{0,4}(?:str|string)[ \t]{0,4})?(?:=>|:=|=|:)[ \t]{0,4}["']([^"'\s]{12,512})["']/g
const SECRET_TARGET =
  /(?:password|passwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key|credential)s?$/i

function* findAssignedSecrets(text: string): Generator<FoundSecret> {
  if (!TARGET_HINT.test(text)) return
  for (const match of text.matchAll(ASSIGNMENT)) {
    const [whole, target = '', value = ''] = match
    if (!SECRET_TARGET.test(target) || !looksRandom(value) || isSampleSecret(value)) continue
    const end = match.index + whole.length - 1
    yield { value, target, span: { start: end - value.length, end } }
  }
}

function looksRandom(value: string): boolean {
  if (/^(?:https?:|[/.~#])|[()[\]@ ]|::|^[A-Z0-9_]+$/.test(value)) return false
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  // Lower-case words with separators are names, such as those of models.
  if (/^[a-z0-9]+(?:[-_.:/][a-z0-9]+)+$/.test(value) && !/[a-f0-9]{20}/.test(value)) return false
  return new Set(value).size >= Math.min(10, value.length * 0.5)
}

/** Yields entries of permissions.secrets that are values instead of names. */
function* findListedSecrets(text: string): Generator<FoundSecret> {
  const list = /^[ \t]*secrets[ \t]*=[ \t]*\[([^\]]{0,20000})/m.exec(text)
  if (!list) return
  const [whole, entries = ''] = list
  const base = list.index + whole.length - entries.length
  for (const match of entries.matchAll(/"([^"\n]{1,1000})"|'([^'\n]{1,1000})'/g)) {
    const value = match[1] ?? match[2] ?? ''
    const start = base + match.index + 1
    if (isSecretName(value)) continue
    yield { value, target: 'secrets', span: { start, end: start + value.length } }
  }
}

/** True for words that name a secret, in any case; values have digits between their letters. */
export function isSecretName(text: string): boolean {
  if (text.length > 64) return false
  return /^[A-Z]+(?:_[A-Z0-9]+)*$|^[A-Za-z]+(?:[ _-][A-Za-z]+)*\d{0,2}$/.test(text)
}
