import { SkillsError } from '../../errors.ts'

/** Rejects everything but JSON, which also prevents web forms from calling. */
export function requireJson(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() === 'application/json' && isUtf8) return
  throw new SkillsError(
    'http/content-type',
    `Expected Content-Type "application/json", got "${(header ?? '').slice(0, 100)}"`,
  )
}

/** A compressed body would be stored or parsed as plain content. */
export function rejectEncoding(header: string | undefined): void {
  if (header === undefined || header.toLowerCase() === 'identity') return
  throw new SkillsError(
    'http/content-type',
    `Expected a body without Content-Encoding, got "${header.slice(0, 100)}"`,
  )
}
