/** Shorter encoded pieces match by chance. */
const MIN_ENCODED = 6
/** Shorter lines of a secret are ordinary words. */
const MIN_LINE = 8

/** Encodings of a value in logs. */
interface SecretForms {
  plain: readonly string[]
  /** May be wrapped into lines at any position. */
  wrapped: readonly string[]
}

/**
 * Lists the forms of a value and of its lines: plain, base64, hex, and as escaped in URLs, JSON,
 * Python, HTML and shell.
 */
export function listSecretForms(secret: string): SecretForms {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE)
  const values = [...new Set([secret, ...lines])]
  return {
    plain: values.flatMap((value) => [
      value,
      ...listHexForms(value),
      ...urlForms(value),
      ...listJsonForms(value),
      ...listPythonForms(value),
      ...listHtmlForms(value),
      value.replaceAll("'", `'"'"'`),
      value.replaceAll("'", `'\\''`),
    ]),
    wrapped: values.flatMap((value) => base64Forms(Buffer.from(value))),
  }
}

function listHexForms(value: string): string[] {
  const hex = Buffer.from(value).toString('hex')
  if (hex.length < MIN_ENCODED) return []
  return [hex, hex.toUpperCase()].flatMap((form) => [
    form,
    ...[':', ' ', '-'].map((between) => form.replace(/..(?=.)/g, `$&${between}`)),
  ])
}

function urlForms(value: string): string[] {
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
function base64Forms(bytes: Buffer): string[] {
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
