import { hash } from 'node:crypto'

/** The last member of a sealed object, with the text before it. */
const SEAL = /^(.*)[,{]"(.{6})":"(.{64})"\}\s*$/s
const KEY = 'sealed'

/** Encodes an object as JSON with a checksum of its text, which detects damage on the disk. */
export function sealJson(value: object): string {
  const text = JSON.stringify(value)
  const start = text.slice(0, -1)
  return `${start}${start === '{' ? '' : ','}"${KEY}":"${hash('sha256', text)}"}`
}

/** Parses a sealed object. Throws if it was damaged. */
export function parseSealedJson(text: string): unknown {
  const [, start, key, digest] = SEAL.exec(text) ?? []
  const value = JSON.parse(text) as unknown
  if (start === undefined) throw new SyntaxError('the checksum is missing')
  const original = text[start.length] === '{' ? `${start}{}` : `${start}}`
  if (key !== KEY || hash('sha256', original) !== digest) {
    throw new SyntaxError('the checksum does not match')
  }
  delete (value as Record<string, unknown>)[KEY]
  return value
}
