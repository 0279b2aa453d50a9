import { createHash } from 'node:crypto'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { findHeader, type HeaderList, type CassetteRequest } from './cassette.ts'
import { namesCredential } from './credential-names.ts'
import { decodeText, isForm, mapJsonFields, parseJson } from './message-body.ts'

/** Stands for every credential, so that requests with different ones are equal. */
const CREDENTIAL = 'redacted'
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A request in a form in which equal requests have equal parts. */
export interface ComparableRequest {
  method: string
  origin: string
  path: string
  /** Sorted by name. Values of one name keep their order. */
  query: readonly string[]
  headers: readonly string[]
  body: ComparableBody
}

export type ComparableBody =
  | { kind: 'empty' }
  | { kind: 'json'; value: Plain }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; size: number; digest: string }

/** Converts a request for a comparison. `hide` replaces secrets in texts. */
export function toComparable(
  { method, url, headers, body }: CassetteRequest,
  comparedHeaders: readonly string[],
  hide: (text: string) => string,
): ComparableRequest {
  const { origin, pathname, searchParams } = new URL(hide(url))
  return {
    method,
    origin: origin.toLowerCase(),
    path: pathname,
    query: listPairs(searchParams, hide),
    headers: comparedHeaders.map((name) => {
      const value = findHeader(headers, name) ?? ''
      return `${name}: ${namesCredential(name) ? CREDENTIAL : hide(value)}`
    }),
    body: toComparableBody(body, headers, hide),
  }
}

function listPairs(params: URLSearchParams, hide: (text: string) => string): string[] {
  params.sort()
  return [...params].map(
    ([name, value]) =>
      `${escapePart(name, /[%&=]/g)}=${namesCredential(name) ? CREDENTIAL : escapePart(hide(value), /[%&]/g)}`,
  )
}

/** `a=1%26b=2` has one parameter, and `a=1&b=2` has two. */
function escapePart(text: string, separators: RegExp): string {
  return text.replaceAll(separators, encodeURIComponent)
}

function toComparableBody(
  body: Buffer,
  headers: HeaderList,
  hide: (text: string) => string,
): ComparableBody {
  if (body.length === 0) return { kind: 'empty' }
  const bytes = hideBoundary(body, headers)
  const text = decodeText(bytes)
  if (text === undefined) {
    const digest = createHash('sha256').update(bytes).digest('hex')
    return { kind: 'bytes', size: bytes.length, digest }
  }
  const hidden = hide(text)
  if (isForm(headers)) {
    return { kind: 'text', text: listPairs(new URLSearchParams(hidden), hide).join('&') }
  }
  const json = parseJson(quoteLongNumbers(hidden))
  if (!json) return { kind: 'text', text: hidden }
  const value = mapJsonFields(json.value, (name, each) =>
    typeof each === 'string' && namesCredential(name) ? CREDENTIAL : undefined,
  )
  return { kind: 'json', value: sortKeys(value) }
}

/** Numbers that differ only beyond the precision of JavaScript are different values. */
function quoteLongNumbers(text: string): string {
  return text.replaceAll(STRING_OR_NUMBER, (token) => {
    const isInteger = /^-?\d+$/.test(token)
    const isLong = isInteger
      ? !Number.isSafeInteger(Number(token))
      : /^-?\d/.test(token) && !Number.isFinite(Number(token))
    return isLong ? `"number ${token}"` : token
  })
}

/** Clients choose the boundary of a multipart body at random. */
function hideBoundary(body: Buffer, headers: HeaderList): Buffer {
  const type = findHeader(headers, 'content-type') ?? ''
  const boundary = /^multipart\/.*;\s*boundary="?([^";]+)/i.exec(type)?.[1]
  if (boundary === undefined) return body
  const text = body.toString('latin1').replaceAll(`--${boundary}`, '--boundary')
  return Buffer.from(text, 'latin1')
}

function sortKeys(value: Plain): Plain {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sortKeys(value[name] ?? null)]))
}
