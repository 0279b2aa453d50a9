import { LINE_BREAKS } from './text-views.ts'
import { foldCase, type SecretPattern } from './secret-matcher.ts'

/** Shorter encoded pieces match by chance. */
const MIN_ENCODED = 6
/** Shorter lines of a secret are ordinary words. */
const MIN_LINE = 8

/** Shorter values are ordinary words in another case, reversed, or across lines. */
const MIN_LOOSE = 8
const HEX_SEPARATORS = ['', ':', ' ', '-', ',', ', ', '_', '.', ' 0x', ', 0x', ',0x']
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/**
 * Lists the patterns of a value and of its lines: plain, base64, base32, hex, UTF-16, and as escaped
 * in URLs, JSON, Python, HTML and shell. Other mixtures of escapes are found in a decoded view of
 * the text.
 */
export function listSecretPatterns(secret: string): SecretPattern[] {
  return listValues(secret).flatMap(listValuePatterns)
}

/** Patterns of a value and of its lines as they are, to be found in a decoded view of a text. */
export function listPlainPatterns(secret: string): SecretPattern[] {
  return listValues(secret).flatMap((value) => {
    const isLoose = value.length >= MIN_LOOSE
    return toPatterns([toLatin1(value)], { isFolded: isLoose, isWrapped: isLoose })
  })
}

function listValues(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE)
  return [...new Set([secret, ...lines])]
}

function listValuePatterns(value: string): SecretPattern[] {
  const bytes = Buffer.from(value)
  const isLoose = value.length >= MIN_LOOSE
  const base64 = listBase64Forms(bytes)
  // The search across lines takes an escaped line break for one.
  const joined = value.replaceAll(LINE_BREAKS, '')
  const loose = isLoose ? [[...value].toReversed().join('')] : []
  if (joined.length >= MIN_LOOSE) loose.push(joined)
  const plain = [
    value,
    ...listUrlForms(value),
    ...listJsonForms(value),
    ...listPythonForms(value),
    ...listHtmlForms(value),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll("'", `'\\''`),
    ...loose,
  ].map(toLatin1)
  return [
    ...toPatterns(plain, { isFolded: isLoose, isWrapped: isLoose }),
    ...toPatterns(listUtf16Forms(value), { isFolded: isLoose, isWrapped: isLoose }),
    ...toPatterns(base64, { isFolded: false, isWrapped: true }),
    ...toPatterns(base64.flatMap(listOuterForms), { isFolded: false, isWrapped: true }),
    ...toPatterns(listHexForms(bytes), { isFolded: true, isWrapped: true }),
    ...toPatterns(listBase32Forms(bytes), { isFolded: true, isWrapped: true }),
  ]
}

function toPatterns(
  texts: readonly string[],
  { isFolded, isWrapped }: Omit<SecretPattern, 'text'>,
): SecretPattern[] {
  const all = isFolded ? texts.map(foldCase) : texts
  return [...new Set(all)].map((text) => ({ text, isFolded, isWrapped }))
}

function listHexForms(bytes: Buffer): string[] {
  const hex = bytes.toString('hex')
  if (hex.length < MIN_ENCODED) return []
  return HEX_SEPARATORS.map((between) => hex.replace(/..(?=.)/g, `$&${between}`))
}

function listUtf16Forms(value: string): string[] {
  const little = Buffer.from(value, 'utf16le')
  if (little.length < MIN_ENCODED) return []
  return [little.toString('latin1'), Buffer.from(little).swap16().toString('latin1')]
}

/** Base64 of base64 that has no line breaks, without the characters at its edges. */
function listOuterForms(inner: string): string[] {
  return inner.length < MIN_LOOSE ? [] : listBase64Forms(Buffer.from(inner))
}

/** Base32 at each of the five offsets within a longer text. */
function listBase32Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2, 3, 4].map((offset) => {
    const text = encodeBase32(Buffer.concat([Buffer.alloc(offset), bytes]))
    // Characters at the edges also encode adjacent bytes.
    const start = Math.ceil((offset * 8) / 5)
    return text.slice(start, Math.floor(((offset + bytes.length) * 8) / 5))
  })
  return forms.filter((form) => form.length >= MIN_ENCODED)
}

function encodeBase32(bytes: Buffer): string {
  let [text, bits, size] = ['', 0, 0]
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xf_ff
    size += 8
    for (; size >= 5; size -= 5) text += BASE32.charAt((bits >> (size - 5)) & 31)
  }
  return text
}

function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function listUrlForms(value: string): string[] {
  // encodeURIComponent throws on lone surrogates; the buffer replaces them.
  const url = encodeURIComponent(Buffer.from(value).toString())
  const strict = url.replace(/[!'()*~]/g, (each) => `%${formatUpperHex(each.charCodeAt(0), 2)}`)
  const forms = [url, strict, url.replaceAll('%2F', '/'), strict.replaceAll('%2F', '/')]
  forms.push(...forms.map((form) => form.replaceAll('%20', '+')))
  return [
    ...forms,
    ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())),
  ]
}

function listJsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replace(/[^ -~]/g, (each) => `\\u${formatLowerHex(each.charCodeAt(0), 4)}`)
  const upper = ascii.replace(/\\u[0-9a-f]{4}/g, (each) => `\\u${each.slice(2).toUpperCase()}`)
  return [json, ascii, upper].flatMap((form) => [form, form.replaceAll('/', '\\/')])
}

/** As `repr` and `ascii` of Python print texts and bytes, with either quote. */
function listPythonForms(value: string): string[] {
  const text = escapeLikePython(value)
  const ascii = [...text].map(escapeNonAscii).join('')
  const bytes = escapeLikePython(Buffer.from(value).toString('latin1')).replace(
    /[^ -~]/g,
    (each) => `\\x${formatLowerHex(each.charCodeAt(0), 2)}`,
  )
  return [text, ascii, bytes].flatMap((form) => [form, form.replaceAll("'", "\\'")])
}

function escapeLikePython(value: string): string {
  const named: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  // oxlint-disable-next-line no-control-regex -- control characters are what is escaped
  return value.replace(/[\\\u0000-\u001f\u007f-\u00a0]/g, (each) => {
    return named[each] ?? `\\x${formatLowerHex(each.charCodeAt(0), 2)}`
  })
}

function escapeNonAscii(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x7f) return character
  if (code <= 0xff) return `\\x${formatLowerHex(code, 2)}`
  return code <= 0xffff ? `\\u${formatLowerHex(code, 4)}` : `\\U${formatLowerHex(code, 8)}`
}

function listHtmlForms(value: string): string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = text.replaceAll('"', '&quot;')
  return [text, quoted, quoted.replaceAll("'", '&#x27;'), quoted.replaceAll("'", '&#39;')]
}

/** Base64 of the value at each of the three offsets within a longer text. */
function listBase64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const data = encoded.replace(/=+$/, '')
    // Characters at the edges also encode adjacent bytes.
    const start = offset === 0 ? 0 : offset + 1
    const end = (offset + bytes.length) % 3 === 0 ? data.length : data.length - 1
    return data.slice(start, end)
  })
  return forms
    .flatMap((form) => [form, form.replace(/\+/g, '-').replace(/\//g, '_')])
    .filter((form) => form.length >= MIN_ENCODED)
}

function formatLowerHex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

function formatUpperHex(code: number, digits: number): string {
  return formatLowerHex(code, digits).toUpperCase()
}
