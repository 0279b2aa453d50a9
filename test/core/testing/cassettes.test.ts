import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Placeholders } from '../../../src/core/testing/cassettes/placeholders.ts'
import { readCassette } from '../../../src/core/testing/cassettes/read-cassette.ts'
import { Recorder } from '../../../src/testing/network/recorder.ts'
import { Replayer } from '../../../src/testing/network/replayer.ts'
import { compilePatterns } from '../../../src/core/runs/redaction/compile-patterns.ts'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'
import type {
  AnswerableRequest,
  AnsweredResponse,
} from '../../../src/core/sandbox/egress/answers/request-answerer.ts'
import { createFolder, type Tree } from '../../helpers/skills.ts'

const SECRET = 'Hunter2-correct-horse'
const SECRETS = new Map([['API_KEY', SECRET]])
const patterns = compilePatterns({ defaults: true, patterns: [] })
const mask = createRedactor([], patterns)
const placeholders = new Placeholders(SECRETS)
const hide = (text: string) => mask.text(placeholders.hide(text))

interface Exchange {
  method?: string
  url?: string
  headers?: readonly (readonly [string, string])[]
  body?: string | Buffer
  answer?: Partial<Omit<AnsweredResponse, 'body'>> & { body?: string | Buffer }
}

function toRequest({ method = 'GET', url = 'https://api.test/', ...rest }: Exchange) {
  const { headers = [], body = '' } = rest
  const destination = { scheme: 'https', host: 'api.test', port: 443 } as const
  return { destination, method, url, headers, body: Buffer.from(body) } satisfies AnswerableRequest
}

/** Records exchanges, and returns the failures and the written files. */
async function record(exchanges: readonly Exchange[], comparedHeaders: readonly string[] = []) {
  const cwd = createFolder()
  const file = join(cwd, 'a.toml')
  const recorder = new Recorder({
    cassette: {
      file,
      recorded: '2026-11-23',
      expires: undefined,
      comparedHeaders,
      isOrdered: false,
    },
    defer: (_path, write) => void write(),
    cwd,
    hide,
    patterns,
    secrets: new Map([['API_KEY', [SECRET]]]),
  })
  for (const exchange of exchanges) {
    const { status = 200, headers = [], body = 'ok' } = exchange.answer ?? {}
    const response = { status, headers, body: Buffer.from(body) }
    await recorder.answer(toRequest(exchange), () => Promise.resolve(response))
  }
  const failures = recorder.finish().map(({ message }) => message)
  const folder = join(cwd, 'a')
  const bodies = existsSync(folder)
    ? readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
    : []
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  return { file, cwd, failures, text, bodies: Object.fromEntries(bodies) as Tree }
}

function openReplay(file: string, secrets = SECRETS) {
  const { cassette, problems } = readCassette(file)
  if (!cassette) throw new Error(JSON.stringify(problems))
  const own = new Placeholders(secrets)
  const replayer = new Replayer({
    cassette,
    cwd: join(file, '..'),
    placeholders: own,
    hide: (text) => mask.text(own.hide(text)),
  })
  return {
    ask: async (exchange: Exchange) => {
      const { status, body, headers } = await replayer.answer(toRequest(exchange))
      return { status, headers, body: body.toString() }
    },
    finish: () => replayer.finish().map(({ message }) => message),
  }
}

const write = (text: string, more: Tree = {}) =>
  join(createFolder({ 'a.toml': text, ...more }), 'a.toml')
const entry = (url: string, more = '', response = 'status = 200') =>
  `[[exchanges]]\n${more}\nrequest = { method = "GET", url = "${url}" }\nresponse = { ${response} }\n`

describe('a cassette', () => {
  it.each([
    ['recorded = "yesterday"\n', 'Expected a day such as', 1, 12],
    ['expired = "2026-01-01"\n', 'Unknown key "expired"', 1, 1],
    ['exchanges = []\n', 'Expected at least one element', 1, 13],
    [entry('ftp://a.test/'), 'Expected an absolute http or https URL', 3, 35],
    [entry('https://a.test/', 'times = 0'), 'Expected a whole number from 1, or "any"', 2, 9],
    [entry('https://a.test/', '', 'status = 99'), 'Expected a status of 200 to 599', 4, 23],
    [entry('https://a.test/', '', 'status = 200, file = "x"'), 'There is no file "x"', 4, 35],
    [entry('https://a.test/', '', 'status = 200, file = "../a.toml"'), 'There is no file', 4, 35],
    [
      entry('https://a.test/', '', 'status = 200, headers = { "a b" = "c" }'),
      'is not a name of a header',
      4,
      40,
    ],
    [
      entry('https://a.test/', '', String.raw`status = 200, headers = { a = "b\r\nc: d" }`),
      'A header has no line breaks',
      4,
      44,
    ],
    ['recorded = \n', 'invalid value', 1, 12],
  ])('is refused with a position: %j', (text, message, ...position) => {
    const { problems } = readCassette(
      write(`${text}${text.includes('exchanges') ? '' : entry('https://a.test/')}`),
    )
    expect(problems[0]?.message).toContain(message)
    const { line, column } = problems[0]?.start ?? {}
    expect([line, column]).toEqual(position)
  })

  it('is refused if a file of its folder belongs to no exchange', () => {
    const { problems } = readCassette(write(entry('https://a.test/'), { 'a/old.json': '{}' }))
    expect(problems[0]?.message).toContain('"old.json"')
  })
})

describe('a replay', () => {
  it('compares method, URL, body and the selected headers only', async () => {
    const { file } = await record(
      [
        {
          method: 'POST',
          url: 'https://api.test/p?b=1&a=2&a=1',
          headers: [
            ['Content-Type', 'application/json'],
            ['Accept', 'x/y'],
            ['User-Agent', 'u'],
          ],
          body: '{"a": 1, "b": {"c": [1, 2]}}',
        },
      ],
      ['accept'],
    )
    const same: Exchange = {
      method: 'POST',
      url: 'https://api.test/p?a=2&a=1&b=1',
      headers: [
        ['accept', 'x/y'],
        ['user-agent', 'other'],
      ],
      body: '{"b":{"c":[1,2]},"a":1}',
    }
    const others: [Partial<Exchange>, string][] = [
      [{ method: 'PUT' }, 'its method: expected "POST", got "PUT"'],
      [{ url: 'https://api.test/q?a=2&a=1&b=1' }, 'its path: expected "/p", got "/q"'],
      [{ url: 'https://api.test/p?a=1&a=2&b=1' }, 'its query: expected "a=2&a=1&b=1"'],
      [{ headers: [['accept', 'z']] }, 'its headers: expected "accept: x/y", got "accept: z"'],
      [{ body: '{"a":1,"b":{"c":[2,1]}}' }, 'differs in its body'],
      [{ body: 'text' }, 'its body: expected JSON, got text'],
      [{ body: '' }, 'its body: expected JSON, got none'],
    ]
    for (const [change, message] of others) {
      const replay = openReplay(file)
      expect(await replay.ask({ ...same, ...change })).toMatchObject({ status: 501 })
      expect(replay.finish()[0]).toContain(message)
      expect(replay.finish()[1]).toMatch(/^The entry a\.toml:4 .* was not used$/)
    }
    const replay = openReplay(file)
    expect(await replay.ask(same)).toMatchObject({ status: 200, body: 'ok' })
    expect(replay.finish()).toEqual([])
    expect(await replay.ask(same)).toMatchObject({ status: 501 })
    expect(replay.finish()[0]).toContain('was used already (times = 1)')
  })

  it('answers equal requests in the order of the file, as often as the entries say', async () => {
    const url = 'https://api.test/poll'
    const file = write(
      entry(url, 'times = 2', 'status = 202') +
        entry(url) +
        entry('https://api.test/any', 'times = "any"'),
    )
    const { ask, finish } = openReplay(file)
    const statuses = []
    for (let at = 0; at < 3; at++) statuses.push((await ask({ url })).status)
    expect(statuses).toEqual([202, 202, 200])
    expect(finish()).toEqual([])
    const second = openReplay(file)
    await second.ask({ url })
    expect(second.finish().join()).toContain('was used 1 of 2 times')
  })

  it('keeps the order of different requests only if the cassette requires it', async () => {
    const [a, b] = ['https://api.test/a', 'https://api.test/b']
    const text = entry(a) + entry(b)
    const free = openReplay(write(text))
    expect([(await free.ask({ url: b })).status, (await free.ask({ url: a })).status]).toEqual([
      200, 200,
    ])
    const strict = openReplay(write(`ordered = true\n${text}`))
    expect((await strict.ask({ url: b })).status).toBe(501)
    expect(strict.finish()[0]).toContain('is not the next one of the order')
  })

  it('compares binary bodies by their bytes, and multipart ones without their boundary', async () => {
    const bytes = Buffer.from([0, 255, 1])
    const multipart = (boundary: string, text: string): Exchange => ({
      method: 'POST',
      headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
      body: `--${boundary}\r\n\r\n${text}\r\n--${boundary}--\r\n`,
    })
    const { file, failures, bodies } = await record([
      { method: 'PUT', body: bytes, answer: { body: bytes } },
      multipart('abc123', 'hello'),
    ])
    expect(failures).toEqual([])
    expect(Object.keys(bodies)).toContain('1-request.bin')
    const { ask, finish } = openReplay(file)
    expect((await ask({ method: 'PUT', body: Buffer.from([0, 255, 2]) })).status).toBe(501)
    expect((await ask({ method: 'PUT', body: bytes })).status).toBe(200)
    expect((await ask(multipart('other', 'hello'))).status).toBe(200)
    expect(finish()).toHaveLength(1)
    expect((await ask(multipart('other', 'bye'))).status).toBe(501)
  })
})

describe('a recording', () => {
  it('contains no secret and no credential, and fits other values of them', async () => {
    const { file, text, bodies, failures } = await record([
      {
        method: 'POST',
        url: `https://api.test/${SECRET}/login?api_key=Short1&token=a-long-token-of-a-user&q=${encodeURIComponent(SECRET)}`,
        headers: [
          ['Authorization', `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`],
          ['Cookie', 'session=a-cookie-of-a-user'],
          ['Content-Type', 'application/json'],
        ],
        body: `{"password":"pw","key":"${SECRET}","user":"me"}`,
        answer: {
          headers: [
            [
              'Set-Cookie',
              'session=a-new-cookie-value; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
            ],
            ['Location', `https://api.test/next?key=${SECRET}`],
            ['Content-Type', 'application/json'],
            ['Date', 'Wed, 21 Oct 2026 07:28:00 GMT'],
          ],
          body: `{"access_token":"token-of-the-answer","n":12345678901234567890,"echo":"${SECRET}"}`,
        },
      },
      { url: 'https://api.test/users/token-of-the-answer' },
    ])
    expect(failures).toEqual([])
    const all = [text, ...Object.values(bodies)].join('\n')
    for (const hidden of [
      SECRET,
      'Short1',
      'a-long-token',
      'a-cookie',
      'a-new-cookie',
      '"pw"',
      'token-of-the',
      '2026-10',
      'Oct 2026',
    ]) {
      expect(all).not.toContain(hidden)
    }
    expect(text).toContain(
      'https://api.test/{{API_KEY}}/login?api_key=redacted-1&token=redacted-2&q={{API_KEY}}',
    )
    expect(all).toContain('12345678901234567890')
    const fake = 'another-value "of" the case'
    const { ask, finish } = openReplay(file, new Map([['API_KEY', fake]]))
    const encoded = encodeURIComponent(fake)
    const answer = await ask({
      method: 'POST',
      url: `https://api.test/${encoded}/login?api_key=x&token=y&q=${encoded}`,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ password: 'z', key: fake, user: 'me' }),
    })
    expect(JSON.parse(answer.body)).toMatchObject({ echo: fake })
    const { access_token: token } = JSON.parse(answer.body) as { access_token: string }
    expect((await ask({ url: `https://api.test/users/${token}` })).status).toBe(200)
    expect(finish()).toEqual([])
  })

  it.each([
    ['base64', Buffer.from(`x${SECRET}`).toString('base64')],
    ['hex', Buffer.from(SECRET).toString('hex')],
    ['reversed', [...SECRET].toReversed().join('')],
    ['bytes', Buffer.concat([Buffer.from([0]), Buffer.from(SECRET)])],
  ])('is not saved with a secret as %s in a body', async (_name, body) => {
    const { failures, text } = await record([{ answer: { body } }])
    expect(failures).toEqual([
      'a.toml was not saved: the body of the response of entry 1 (GET https://api.test/) contains the secret API_KEY',
    ])
    expect(text).toBeUndefined()
    const control = await record([{ answer: { body: 'harmless' } }])
    expect(control.failures).toEqual([])
  })

  it.each([
    ['a URL', { url: `https://api.test/?q=${Buffer.from(SECRET).toString('hex')}` }, 'the URL'],
    [
      'a header',
      { answer: { headers: [['X-Echo', Buffer.from(SECRET).toString('base64')]] } },
      'the header "x-echo" of the response',
    ],
    ['a request', { body: Buffer.from(SECRET).toString('base64') }, 'the body of the request'],
  ] as [string, Exchange, string][])(
    'is not saved with a secret in %s',
    async (_name, exchange, part) => {
      const { failures, text } = await record([{}, exchange])
      expect(failures.join()).toContain(`${part} of entry 2`)
      for (const form of [SECRET, Buffer.from(SECRET).toString('hex')])
        expect(failures.join()).not.toContain(form)
      expect(text).toBeUndefined()
    },
  )

  it('masks texts that look like credentials', async () => {
    const token = `ghp_${'a1B2'.repeat(10)}`
    const { failures, text } = await record([{ answer: { body: `the token ${token} is here` } }])
    expect(failures).toEqual([])
    expect(text).toContain('the token [redacted] is here')
  })

  it('is not written if a request failed or none was made', async () => {
    expect((await record([])).failures.join()).toContain('made no request')
  })

  it('joins equal exchanges that follow each other', async () => {
    const { text } = await record([{}, {}, {}, { url: 'https://api.test/b' }])
    expect(text?.match(/\[\[exchanges\]\]/g)).toHaveLength(2)
    expect(text).toContain('times = 3')
  })
})
