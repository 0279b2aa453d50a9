import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type {
  Cassette,
  HeaderList,
  RecordedExchange,
} from '../../core/testing/cassettes/cassette.ts'
import { decodeText, selectExtension } from '../../core/testing/cassettes/message-body.ts'
import { getBodyFolder } from '../../core/testing/cassettes/read-cassette.ts'

/** Longer texts, and those with several lines, are files. */
const MAX_INLINE = 120

export type NewCassette = Omit<Cassette, 'exchanges'> & {
  exchanges: readonly Omit<RecordedExchange, 'position'>[]
}

/** Writes a cassette and its bodies in place of an earlier one. */
export function writeCassette(cassette: NewCassette): void {
  const folder = getBodyFolder(cassette.file)
  const files = new Map<string, Buffer>()
  const text = renderCassette(cassette, files)
  const suffix = `.new-${process.pid}`
  const staging = `${folder}${suffix}`
  mkdirSync(dirname(folder), { recursive: true })
  try {
    mkdirSync(staging)
    for (const [name, body] of files) writeFileSync(join(staging, name), body)
    writeFileSync(`${cassette.file}${suffix}`, text)
    rmSync(folder, { recursive: true, force: true })
    if (files.size > 0) renameSync(staging, folder)
    renameSync(`${cassette.file}${suffix}`, cassette.file)
  } finally {
    rmSync(staging, { recursive: true, force: true })
    rmSync(`${cassette.file}${suffix}`, { force: true })
  }
}

/** Formats a cassette as TOML; bodies that are not inline are added to the files. */
function renderCassette(cassette: NewCassette, files: Map<string, Buffer>): string {
  const { recorded, expires, comparedHeaders, isOrdered } = cassette
  const head = [
    ...(recorded === undefined ? [] : [`recorded = ${quoteToml(recorded)}`]),
    ...(expires === undefined ? [] : [`expires = ${quoteToml(expires)}`]),
    ...(comparedHeaders.length > 0
      ? [`match_headers = [${comparedHeaders.map(quoteToml).join(', ')}]`]
      : []),
    ...(isOrdered ? ['ordered = true'] : []),
  ]
  const exchanges = cassette.exchanges.map(({ request, response, times }, at) => {
    const lines = [
      '[[exchanges]]',
      ...(times === 1 ? [] : [`times = ${times === 'any' ? quoteToml(times) : times}`]),
      '[exchanges.request]',
      `method = ${quoteToml(request.method)}`,
      `url = ${quoteToml(request.url)}`,
      ...renderHeaders(request.headers),
      ...renderBody(request, `${at + 1}-request`, files),
      '[exchanges.response]',
      `status = ${response.status}`,
      ...renderHeaders(response.headers),
      ...renderBody(response, `${at + 1}-response`, files),
    ]
    return `${lines.join('\n')}\n`
  })
  return [`${head.join('\n')}\n`, ...exchanges].join('\n')
}

function renderHeaders(headers: HeaderList): string[] {
  if (headers.length === 0) return []
  const names = [...new Set(headers.map(([name]) => name))].sort()
  const pairs = names.map((name) => {
    const values = headers.filter(([each]) => each === name).map(([, value]) => quoteToml(value))
    const value = values.length === 1 ? values[0] : `[${values.join(', ')}]`
    return `${/^[\w-]+$/.test(name) ? name : quoteToml(name)} = ${value}`
  })
  return [`headers = { ${pairs.join(', ')} }`]
}

// eslint-disable-next-line max-params -- the message, the name of its file and all files
function renderBody(
  { headers, body }: { headers: HeaderList; body: Buffer },
  name: string,
  files: Map<string, Buffer>,
): string[] {
  if (body.length === 0) return []
  const text = decodeText(body)
  if (text !== undefined && text.length <= MAX_INLINE && !/[\r\n]/.test(text)) {
    return [`text = ${quoteToml(text)}`]
  }
  const file = `${name}.${selectExtension(headers, text !== undefined)}`
  files.set(file, body)
  return [`file = ${quoteToml(file)}`]
}

/** Formats a basic string of TOML, which has the escapes of JSON and one more. */
function quoteToml(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007F`)
}
