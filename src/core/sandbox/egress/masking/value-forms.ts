import type { MaskedSecret } from './masked-secret.ts'
import type { Replacement } from './text-search.ts'

/** Shorter values and encoded pieces stand in ordinary texts by chance. */
const MIN_VALUE = 4
const MIN_ENCODED = 8

/**
 * What answers must not contain, each with what stands in its place: the value, plain and as servers
 * escape or encode it. The longest come first, so that a form is not cut by a shorter one.
 */
export function listAnswerReplacements(secrets: readonly MaskedSecret[]): Replacement[] {
  const pairs = new Map<string, string>()
  for (const { value, standIn } of secrets) {
    for (const [from, to] of listForms(value, standIn)) if (!pairs.has(from)) pairs.set(from, to)
  }
  return [...pairs]
    .map(([from, to]) => ({ from: Buffer.from(from), to: Buffer.from(to) }))
    .sort((a, b) => b.from.length - a.from.length)
}

function listForms(value: string, standIn: string): [string, string][] {
  const bytes = Buffer.from(value)
  if (bytes.length < MIN_VALUE) return []
  const plain = [
    value,
    escapeJson(value),
    escapeJson(value).replaceAll('/', '\\/'),
    escapeMarkup(value),
  ]
  const urls = [
    encodeUrl(value),
    encodeUrl(value).replaceAll('%20', '+'),
    encodeURI(toWellFormed(value)),
  ]
  const lower = urls.map((url) => url.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()))
  const forms = [...plain, ...urls, ...lower].map((each): [string, string] => [each, standIn])
  if (bytes.length < MIN_ENCODED) return forms
  const encoded: [string, string][] = [0, 1, 2].flatMap((offset) => {
    const [from, to] = [value, standIn].map((text) => encodeBase64(Buffer.from(text), offset))
    return [
      [from, to] as [string, string],
      [toUrlSafe(from ?? ''), toUrlSafe(to ?? '')] as [string, string],
    ]
  })
  const hex = bytes.toString('hex')
  const standInHex = Buffer.from(standIn).toString('hex')
  return [...forms, ...encoded, [hex, standInHex], [hex.toUpperCase(), standInHex.toUpperCase()]]
}

/** Base64 within a longer text, without the characters that also encode adjacent bytes. */
function encodeBase64(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const end = (offset + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1
  return encoded.slice(offset === 0 ? 0 : offset + 1, end)
}

function toUrlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_')
}

/** As JSON writes the value within a string. */
export function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

/** As a form or a query writes the value. */
export function encodeUrl(value: string): string {
  return encodeURIComponent(toWellFormed(value))
}

/** encodeURIComponent throws on lone surrogates. */
function toWellFormed(value: string): string {
  return Buffer.from(value).toString()
}

function escapeMarkup(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
