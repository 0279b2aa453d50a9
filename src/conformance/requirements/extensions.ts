import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import { assertText } from '../session.ts'

const GUIDE = 'load_skills_protocol_guide'
const BYTES = new Uint8Array([0, 1, 254, 255, 10, 13, 0, 65])

export const EXTENSIONS: readonly Requirement[] = [
  {
    id: 'rpc/batch',
    level: 'extension',
    page: 'JSON-RPC 2.0',
    text: 'A batch of calls is answered with an array in their order',
    async check(session) {
      const calls = [
        { jsonrpc: '2.0', id: 'one', method: GUIDE, params: {} },
        { jsonrpc: '2.0', id: 'two', method: 'no_such_method', params: {} },
      ]
      const { text } = await session.send(JSON.stringify(calls))
      let answers: unknown
      try {
        answers = JSON.parse(text)
      } catch {
        answers = text
      }
      const ids = Array.isArray(answers) ? answers.map(({ id }: { id?: unknown }) => id) : answers
      assertThat(
        formatValue(ids) === '["one","two"]',
        `Expected answers to "one" and "two", got ${formatValue(ids)}`,
      )
    },
  },
  {
    id: 'rpc/notification',
    level: 'extension',
    page: 'JSON-RPC 2.0',
    text: 'A call without an id is executed without a response',
    async check(session) {
      const { text, status } = await session.send(
        JSON.stringify({ jsonrpc: '2.0', method: GUIDE, params: {} }),
      )
      assertThat(
        text === '' && status < 300,
        `Expected no answer, got HTTP status ${status} with ${formatValue(text)}`,
      )
    },
  },
  {
    id: 'rpc/discover',
    level: 'extension',
    page: 'Toolkit',
    text: 'rpc.discover returns an OpenRPC document',
    async check(session) {
      const { openrpc } = await session.expectResult('rpc.discover')
      assertText(openrpc, 'openrpc')
    },
  },
  {
    id: 'rpc/unknown-param',
    level: 'extension',
    page: 'Toolkit',
    text: 'An unknown parameter is refused, so that typos are noticed',
    async check(session) {
      await session.expectError('list_skills', { limitt: 1 })
    },
  },
  {
    id: 'rpc/content-type',
    level: 'extension',
    page: 'Toolkit',
    text: 'A call that is not application/json is refused, so that web forms cannot call',
    async check(session) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: GUIDE, params: {} })
      const { status, json } = await session.send(body, {
        headers: { 'content-type': 'text/plain' },
      })
      assertThat(
        (json?.['result'] ?? null) === null,
        `Expected a refusal, got HTTP status ${status} and a result`,
      )
    },
  },
  {
    id: 'blob/stream',
    level: 'extension',
    page: 'Toolkit',
    text: 'Blobs are stored by PUT /blobs and fetched by GET /blobs/<id>, also in ranges',
    async check(session) {
      const headers = { 'content-type': 'application/octet-stream' }
      const put = await session.send(undefined, {
        verb: 'PUT',
        path: 'blobs',
        headers,
        bytes: BYTES,
      })
      const id = put.json?.['blob_id']
      assertText(id, `blob_id (HTTP status ${put.status})`)
      const path = `blobs/${encodeURIComponent(id)}`
      const complete = await session.send(undefined, { verb: 'GET', path })
      assertThat(
        formatValue([...complete.bytes]) === formatValue([...BYTES]),
        `Expected what was stored, got HTTP status ${complete.status}`,
      )
      const part = await session.send(undefined, {
        verb: 'GET',
        path,
        headers: { range: 'bytes=2-3' },
      })
      assertThat(part.status === 206, `Expected HTTP status 206 for a part, got ${part.status}`)
      assertThat(
        formatValue([...part.bytes]) === '[254,255]',
        `Expected [254,255], got ${formatValue([...part.bytes])}`,
      )
    },
  },
  {
    id: 'run-code/events',
    level: 'extension',
    page: 'Toolkit',
    text: 'A run requested with Accept: text/event-stream streams its events, with the response last',
    needs: ['run-code/logs'],
    async check(session) {
      const params = {
        language: 'python',
        code: 'def main(args):\n    print("told")\n    return 7\n',
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 'events', method: 'run_code', params })
      const { text, headers } = await session.send(body, {
        headers: { accept: 'text/event-stream' },
      })
      const type = headers.get('content-type') ?? ''
      assertThat(
        type.startsWith('text/event-stream'),
        `Expected an event stream, got ${formatValue(type)}`,
      )
      const names = [...text.matchAll(/^event: ?(\w+)$/gm)].map(([, name]) => name)
      assertThat(names.includes('log'), `Expected a log event, got ${formatValue(names)}`)
      assertThat(
        names.at(-1) === 'response',
        `Expected the response as the last event, got ${formatValue(names.at(-1))}`,
      )
    },
  },
]
