import { connect } from 'node:net'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../../helpers/server.ts'

const RUNS = Number(process.env['FUZZ_SOCKETS'] ?? 3000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
/** Allowed status lines; 500 must not occur. */
const DOCUMENTED = /^HTTP\/1\.1 (?:100|20[0146]|304|40[013458]|41[13567]|417|431|501)\b/

const CALL = '{"jsonrpc":"2.0","id":1,"method":"list_skills","params":{"limit":1}}'
const line = fc.constantFrom(
  'POST /rpc HTTP/1.1',
  'POST http://localhost/rpc HTTP/1.1',
  'POST http://evil.example/rpc HTTP/1.1',
  'POST //rpc HTTP/1.1',
  'POST /rpc?x=%zz HTTP/1.1',
  'POST /rpc HTTP/1.0',
  'POST /rpc HTTP/9.9',
  'GET /blobs/..%2f..%2fetc%2fpasswd HTTP/1.1',
  'GET /blobs/%00 HTTP/1.1',
  'GET /blobs/%ff HTTP/1.1',
  'GET /runs/run_x/events HTTP/1.1',
  'GET /.well-known/agent-skills/../../x HTTP/1.1',
  'PUT /blobs HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT localhost:1 HTTP/1.1',
  'TRACE / HTTP/1.1',
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
)
const header = fc.constantFrom(
  'Host: localhost',
  'Host: localhost\r\nHost: evil.example',
  'Host:',
  'Host: [::1',
  'Host: localhost:99999999',
  'X-Forwarded-Host: evil.example',
  `Content-Length: ${CALL.length}`,
  'Content-Length: 5',
  'Content-Length: 99999',
  'Content-Length: -1',
  'Content-Length: 18446744073709551616',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Content-Type: application/json; charset=utf-7',
  'Content-Encoding: gzip',
  'Accept: text/event-stream',
  'Expect: 100-continue',
  'Expect: nonsense',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Range: bytes=0-18446744073709551615',
  'Range: bytes=0-1,2-3,4-5',
  'traceparent: x',
  'Authorization: Bearer \u0000',
  'Origin: null',
  'A'.repeat(20_000),
  ': empty',
)
const body = fc.oneof(
  fc.constantFrom(
    CALL,
    `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`,
    'fffffffffffffffff\r\nx\r\n0\r\n\r\n',
    '5;ext=x\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
    '-1\r\n\r\n',
    `${CALL}${CALL}`,
  ),
  fc.string({ maxLength: 30 }),
)
const bytes: Arbitrary<Buffer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        line,
        fc.array(header, { maxLength: 6 }),
        body,
        fc.double({ min: 0.2, max: 1.5, noNaN: true }),
      )
      .map(([first, headers, rest, part]) => {
        const whole = Buffer.from(`${[first, ...headers].join('\r\n')}\r\n\r\n${rest}`, 'latin1')
        return whole.subarray(0, Math.floor(whole.length * part))
      }),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ minLength: 1, maxLength: 100 }).map((each) => Buffer.from(each)),
  },
)

describe('a server socket', () => {
  it(
    `survives ${RUNS} generated partial requests (seed ${SEED})`,
    { timeout: 300_000 },
    async () => {
      const server = await startTestServer({ bodyMs: 500 })
      const port = Number(new URL(server.url).port)
      const samples = fc.sample(bytes, { numRuns: RUNS, seed: SEED })
      const next = samples.values()
      let answered = 0
      const client = async () => {
        for (const sample of next) {
          const text = await send(port, sample)
          if (text === '') continue
          answered += 1
          if (!DOCUMENTED.test(text) || text.includes('-32603')) {
            throw new Error(
              `${JSON.stringify(String(sample).slice(0, 500))} was answered with ${text}`,
            )
          }
        }
      }
      await Promise.all(Array.from({ length: 40 }, client))
      expect(answered).toBeGreaterThan(RUNS / 4)
      expect(await server.result('list_skills')).toHaveProperty('skills')
      expect(await (await server.fetch('/metrics')).text()).toContain('skills_sandboxes 0')
    },
  )
})

/** Sends a sample and returns what is received until the server closes the connection. */
async function send(port: number, sample: Buffer): Promise<string> {
  return await new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.end(sample),
    )
    socket.on('data', (chunk) => (text = `${text}${String(chunk)}`.slice(0, 2000)))
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    socket.on('end', () => socket.destroy())
    socket.setTimeout(20_000, () => {
      text = 'nothing for 20 seconds'
      socket.destroy()
    })
  })
}
