import type { Plain } from '../manifest/manifest.ts'

const MASK = '[redacted]'
/** Shorter pieces of an encoding turn up by chance. */
const MIN_ENCODED = 6

/** Takes secret values out of what leaves a run, in the encodings that a log may hold. */
export interface Redactor {
  text(value: string): string
  value(value: Plain): Plain
  /** For a stream of bytes: a value that is split between chunks is found as well. */
  stream(): RedactingStream
}

export interface RedactingStream {
  push(chunk: Buffer): Buffer
  end(): Buffer
}

/** Searches for the values themselves, base64, base64url, hex, URL and JSON forms. */
export function redactorFor(secrets: Iterable<string>): Redactor {
  const needles = [...new Set([...secrets].filter((each) => each !== '').flatMap(formsOf))]
    .map((form) => Buffer.from(form).toString('latin1'))
    .sort((a, b) => b.length - a.length)
  const pattern = needles.length === 0 ? undefined : new RegExp(needles.map(escape).join('|'), 'g')
  // Bytes as characters: the same search serves texts and streams of any encoding.
  const clean = (bytes: string) => (pattern ? bytes.replace(pattern, MASK) : bytes)
  const text = (value: string) =>
    pattern ? Buffer.from(clean(Buffer.from(value).toString('latin1')), 'latin1').toString() : value
  return { text, value: (value) => redactValue(value, text), stream: () => split(needles, clean) }
}

function split(needles: readonly string[], clean: (bytes: string) => string): RedactingStream {
  let held = ''
  return {
    push(chunk) {
      if (needles.length === 0) return chunk
      const cleaned = clean(held + chunk.toString('latin1'))
      const keep = startOfNeedle(cleaned, needles)
      held = cleaned.slice(cleaned.length - keep)
      return Buffer.from(cleaned.slice(0, cleaned.length - keep), 'latin1')
    },
    end: () => Buffer.from(held, 'latin1'),
  }
}

/** How many characters at the end may be the beginning of a secret. */
function startOfNeedle(text: string, needles: readonly string[]): number {
  const longest = Math.min(text.length, (needles[0]?.length ?? 1) - 1)
  for (let size = longest; size > 0; size--) {
    const tail = text.slice(text.length - size)
    if (needles.some((needle) => needle.startsWith(tail))) return size
  }
  return 0
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 8)
  return [secret, ...lines].flatMap((value) => {
    const bytes = Buffer.from(value)
    const hex = bytes.toString('hex')
    const url = encodeURIComponent(value)
    const strict = url.replace(
      /[!'()*~]/g,
      (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    const encoded = [
      ...base64Forms(bytes),
      hex,
      hex.toUpperCase(),
      hex.replace(/..(?=.)/g, '$&:'),
    ].filter((form) => form.length >= MIN_ENCODED)
    const urls = [url, strict, url.replace(/%20/g, '+'), strict.replace(/%20/g, '+')]
    const lower = urls.map((form) => form.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()))
    const json = JSON.stringify(value).slice(1, -1)
    const ascii = json.replace(
      /[^ -~]/g,
      (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return [value, ...encoded, ...urls, ...lower, json, ascii]
  })
}

/** Base64 of the value at each of the three places that it can have in a longer text. */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const data = whole.replace(/=+$/, '')
    // Characters at the edges mix with what stands before and after.
    const start = offset === 0 ? 0 : offset + 1
    const end = (offset + bytes.length) % 3 === 0 ? data.length : data.length - 1
    return data.slice(start, end)
  })
  return forms.flatMap((form) => [form, form.replace(/\+/g, '-').replace(/\//g, '_')])
}

function redactValue(value: Plain, text: (value: string) => string): Plain {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map((each) => redactValue(each, text))
  if (value === null || typeof value !== 'object') return value
  // A null prototype keeps "__proto__" an ordinary key.
  const copy = Object.create(null) as { [key: string]: Plain }
  for (const [key, each] of Object.entries(value)) copy[text(key)] = redactValue(each, text)
  return copy
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
