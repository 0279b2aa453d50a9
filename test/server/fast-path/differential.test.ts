// @module-tag slow
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { listen } from '../../../src/server/http/listen.ts'
import { jsonLog } from '../../../src/server/telemetry/request-log.ts'
import { createTestApp } from '../../helpers/app.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'

const TOKEN = 'r'.repeat(32)

/**
 * Starts a server that counts the requests on the fast path: only the fast path looks for cached
 * responses.
 */
async function startArm(fastPaths: boolean) {
  const lines: string[] = []
  const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
  const tokens = parseTokens(`${TOKEN} reader read\n${'w'.repeat(32)} writer write\n`, 'x')
  const log = jsonLog((line) => lines.push(withoutTimes(line)))
  const settings = { 'serve.calls_per_second': 1_000_000 }
  const { context } = await createTestApp(tree, settings, { tokens, log, fastPaths })
  let answered = 0
  const findCached = (body: string) => {
    answered += 1
    return context.rpc.findCached(body)
  }
  const counted = { ...context, rpc: { ...context.rpc, findCached } }
  const server = await listen(counted, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => await server.close(0))
  return {
    taken: () => answered,
    send: async (pieces: readonly Buffer[]) => withoutDate(await send(server.port, pieces)),
    /** Returns the log lines since the last call. */
    log: () => lines.splice(0),
    counters: async () =>
      (await context.metrics.render())
        .split('\n')
        .filter((line) => /_(?:total|count)\b/.test(line)),
  }
}

/** Sends pieces as separate packets and returns the whole response. */
async function send(port: number, [first, ...rest]: readonly Buffer[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.write(first ?? '')
      for (const [at, piece] of rest.entries()) setTimeout(() => socket.write(piece), 5 * (at + 1))
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

const withoutDate = (text: string) => text.replace(/^date: .*\r\n/im, '')
const withoutTimes = (line: string) => line.replace(/"(?:time|ms)":[^,}]*/g, '')

const METHODS = [
  'list_skills',
  'describe_skill',
  'read_skill_file',
  'load_skills_protocol_guide',
  'read_blob',
  'create_skill',
  'rpc.discover',
  'nope',
]
const params = fc.record(
  {
    name: fc.constantFrom('demo.greet', 'no.such', '', 7),
    path: fc.constantFrom('SKILL.md', '../x', 'no'),
    limit: fc.constantFrom(1, 0, 'x'),
    detail: fc.constantFrom('names', 'summary', 'full'),
    blob_id: fc.constantFrom('blob:0', 'x'),
  },
  { requiredKeys: [] },
)
const call = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
    id: fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.jsonValue()),
    method: fc.constantFrom(...METHODS),
    params: fc.oneof({ weight: 5, arbitrary: params }, fc.jsonValue()),
  },
  { requiredKeys: ['method'] },
)
const bodies = fc
  .oneof(
    { weight: 5, arbitrary: call.map((each) => JSON.stringify(each)) },
    fc.constant('{"jsonrpc":"2.0","id":"ü\\u2028","method":"list_skills"}'),
    fc.array(call, { maxLength: 4 }).map((each) => JSON.stringify(each)),
    fc.json(),
    fc.string({ unit: 'binary', minLength: 1 }),
  )
  .map((text) => Buffer.from(text))
const bytes = fc.oneof(
  { weight: 9, arbitrary: bodies },
  fc.uint8Array({ minLength: 1, maxLength: 100 }).map((each) => Buffer.from(each)),
)

function buildHead(lines: readonly string[], requestLine = 'POST /rpc HTTP/1.1'): Buffer {
  return Buffer.from([requestLine, ...lines, 'Connection: close', '', ''].join('\r\n'))
}

const HOST = 'Host: localhost'
const BEARER = `Authorization: Bearer ${TOKEN}`
const TYPE = 'Content-Type: application/json'
const TWICE = `${TYPE}\r\nContent-Type: text/plain`
const PLAIN = [HOST, BEARER, TYPE]
const EVENTS = 'Accept: Text/Event-Stream'
const LIST = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"list_skills"}')

/** Returns one value three times as often as all others together. */
function mostly(usual: string, ...unusual: readonly string[]) {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, fc.constantFrom(...unusual))
}

describe('POST /rpc with fast paths', () => {
  it('handles a plain request on the fast path with the same response and records', async () => {
    const [fast, general] = [await startArm(true), await startArm(false)]
    let count = 0
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        const joined = Buffer.concat([
          buildHead([...PLAIN, `Content-Length: ${body.length}`]),
          body,
        ])
        const answer = await fast.send([joined])
        expect(answer).toMatch(/^HTTP\/1\.1 (?:200|204|400) /)
        expect(answer).toBe(await general.send([joined]))
        expect(fast.log()).toEqual(general.log())
        // A body that is not UTF-8 cannot have a cached response.
        if (answer.includes('not UTF-8')) return
        count += 1
        expect(fast.taken()).toBe(count)
      }),
      { numRuns: 300 },
    )
    expect(general.taken()).toBe(0)
    expect(await fast.counters()).toEqual(await general.counters())
  })

  it('handles an unusual request with the same response and records', async () => {
    const [fast, general] = [await startArm(true), await startArm(false)]
    const requests = fc.tuple(
      mostly(
        'POST /rpc HTTP/1.1',
        'POST /rpc?x HTTP/1.1',
        'POST //rpc HTTP/1.1',
        'PUT /rpc HTTP/1.1',
        'POST /rpc HTTP/1.0',
        'POST http://localhost/rpc HTTP/1.1',
      ),
      fc.tuple(
        mostly(HOST, 'Host: evil.example', 'Host: ', 'X-No: host'),
        mostly(BEARER, `authorization: bearer ${TOKEN}`, `Authorization: ${TOKEN}`, 'X: y'),
        mostly(TYPE, `${TYPE}; charset=utf-8`, 'Content-Type: text/plain', TWICE, 'X-No: type'),
        mostly('X: y', 'Accept: text/html', 'Content-Encoding: gzip', 'Expect: x', BEARER),
        mostly('X: z', 'Origin: https://evil.example', 'Origin: null', 'Sec-Fetch-Site: none'),
      ),
      mostly('length', 'chunked', 'split'),
      bytes,
    )
    await fc.assert(
      fc.asyncProperty(requests, async ([requestLine, lines, framing, body]) => {
        const isChunked = framing === 'chunked'
        const size = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
        const head = buildHead([...lines, size], requestLine)
        const text = isChunked ? chunked(body) : body
        const pieces = framing === 'split' ? [head, text] : [Buffer.concat([head, text])]
        expect(await fast.send(pieces)).toBe(await general.send(pieces))
        expect(fast.log()).toEqual(general.log())
      }),
      {
        numRuns: 300,
        examples: [
          [['POST /rpc HTTP/1.1', [HOST, BEARER, TWICE, 'X: y', 'X: z'], 'length', LIST]],
          [['POST /rpc HTTP/1.1', [HOST, BEARER, TYPE, EVENTS, 'X: z'], 'length', LIST]],
        ],
      },
    )
    expect(general.taken()).toBe(0)
    expect(await fast.counters()).toEqual(await general.counters())
  })
})

function chunked(body: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
}
