import { mkdirSync, rmSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { join } from 'node:path'
import type { AnswerableRequest } from '../../../src/core/sandbox/egress/answers/request-answerer.ts'
import type { Cassette, RecordedExchange } from '../../../src/core/testing/cassettes/cassette.ts'
import { toComparable } from '../../../src/core/testing/cassettes/comparable-request.ts'
import { findMismatch } from '../../../src/core/testing/cassettes/compare-requests.ts'
import { Placeholders } from '../../../src/core/testing/cassettes/placeholders.ts'
import { readCassette } from '../../../src/core/testing/cassettes/read-cassette.ts'
import { Replayer } from '../../../src/testing/network/replayer.ts'
import { writeCassette } from '../../../src/testing/network/write-cassette.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const MARK = '\n# body of the request: '
const SECRET = 'a-fake-value'
const placeholders = new Placeholders(new Map([['API_KEY', SECRET]]))
const hide = (text: string) => placeholders.hide(text)
/** Framing of a message belongs to the runtime. */
const FRAMING = /^(?:content-length|content-encoding|transfer-encoding|connection|upgrade|trailer)$/

const exchange = (request: string, response = 'status = 200') =>
  `[[exchanges]]\n[exchanges.request]\nmethod = "POST"\nurl = "https://api.test/x?b=1&a={{API_KEY}}%26c=2"\n${request}\n[exchanges.response]\n${response}\n`
const SEEDS = [
  `recorded = "2026-11-23"\nexpires = "2027-05-23"\nmatch_headers = ["accept"]\n\n${exchange('headers = { accept = "a/b" }')}`,
  `ordered = true\n${exchange('text = "{\\"a\\": [1, {\\"b\\": \\"{{API_KEY}}\\"}]}"')}${MARK}{"a":[1,{"b":"${SECRET}"}]}`,
  `${exchange('text = "a=1&b=2"\nheaders = { content-type = "application/x-www-form-urlencoded" }')}${MARK}b=2&a=1`,
  `${exchange('text = "{\\"n\\": 9007199254740993}"')}${MARK}{"n":9007199254740992}`,
  `${exchange('text = "--x--"\nheaders = { content-type = "multipart/form-data; boundary=x" }', 'status = 404\ntext = "no {{API_KEY}}"\nheaders = { set-cookie = ["a=1", "b=2"] }')}${MARK}12345678901234567890`,
]

/** A cassette that somebody edited, and requests of the code under test. */
export const target: FuzzTarget = {
  name: 'cassettes',
  format: 'text',
  seeds: SEEDS,
  words: [
    ...'times = 2|times = "any"|ordered = true|{{API_KEY}}|redacted-1|\\u0000|http://|multipart/form-data; boundary='.split(
      '|',
    ),
    '"__proto__"',
    '1e999',
    '9007199254740993',
    '['.repeat(8000) + ']'.repeat(8000),
    '"content-length" = "1"',
    '"\\u65e5"',
    MARK,
  ],
  open(isPlanted) {
    const folder = createTemporaryFolder()
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'fuzzed.toml')
    return async (input) => {
      const [text = '', body = ''] = input.toString('utf8').split(MARK)
      rmSync(join(folder, 'fuzzed'), { recursive: true, force: true })
      const { cassette, problems } = readCassette(file, text)
      const lines = text.split('\n').length + 1
      for (const { start, message } of problems) {
        expectThat(start.line >= 1 && start.line <= lines, 'a mistake has a line')
        expectThat(message !== '', 'a mistake has a sentence')
      }
      if (!cassette) return expectThat(problems.length > 0, 'a refusal has a reason')
      for (const each of cassette.exchanges) checkHeaders(each)
      checkRewritten(cassette)
      await checkReplay(cassette, isPlanted)
      checkComparison(cassette, Buffer.from(body))
    }
  },
}

/** The headers of an answer are sent as they are. */
function checkHeaders({ response }: RecordedExchange): void {
  for (const [name, value] of response.headers) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    expectThat(!FRAMING.test(name), `an answer has no header ${name}`)
  }
}

/** A cassette that is saved again has the same content. */
function checkRewritten(cassette: Cassette): void {
  writeCassette(cassette)
  const again = readCassette(cassette.file)
  expectEqual(again.problems, [], 'the mistakes of a saved cassette')
  expectEqual(withoutPlaces(again.cassette), withoutPlaces(cassette), 'a saved cassette')
}

function withoutPlaces(cassette: Cassette | undefined) {
  return (
    cassette && {
      ...cassette,
      exchanges: cassette.exchanges.map((each) => ({
        ...each,
        position: undefined,
        request: { ...each.request, headers: sortHeaders(each.request.headers) },
        response: { ...each.response, headers: sortHeaders(each.response.headers) },
      })),
    }
  )
}

/** Values of one name keep their order. */
function sortHeaders(headers: RecordedExchange['request']['headers']) {
  return headers.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
}

/** Each entry answers its own request, and no other one. */
async function checkReplay(cassette: Cassette, isPlanted: boolean): Promise<void> {
  const options = { cassette, cwd: '/', placeholders, hide }
  const replayer = new Replayer(options)
  for (const { request, response, times } of cassette.exchanges) {
    if (times === 'any' || times > 20) return
    for (let use = 0; use < times; use++) {
      const answer = await replayer.answer(reveal(request))
      expectThat(answer.status !== 501 || response.status === 501, 'a recorded request is answered')
    }
  }
  expectEqual(replayer.finish(), [], 'the failures of a replay in the order of the file')
  const first = cassette.exchanges[0]
  if (!first) return
  const other = reveal(first.request)
  const url = `${other.url.replace(/#.*/s, '')}${other.url.includes('?') ? '&' : '?'}unrecorded=1`
  const strict = new Replayer(options)
  // The planted bug: the query of a request is not compared.
  await strict.answer({ ...other, url: isPlanted ? other.url : url })
  const isKnown = cassette.exchanges.some((each) => each.request.url.includes('unrecorded'))
  expectThat(isKnown || strict.finish().length > 0, 'another request is not answered')
}

function reveal({ method, url, headers, body }: RecordedExchange['request']): AnswerableRequest {
  const destination = { scheme: 'https', host: 'api.test', port: 443 } as const
  return { destination, method, url: placeholders.reveal(url), headers, body }
}

/** Requests fit only with the same parameters, however they are written. */
function checkQuery(request: RecordedExchange['request']): void {
  const url = request.url.replace('%26', '&')
  const list = (text: string) =>
    [...new URL(text).searchParams]
      .map((each) => JSON.stringify(each))
      .toSorted()
      .join()
  const one = toComparable(request, [], hide)
  const two = toComparable({ ...request, url }, [], hide)
  if (list(url) === list(request.url)) return
  expectThat(findMismatch(one, two) !== undefined, 'another list of parameters is another request')
}

/** Comparison is symmetric, and only equal values of JSON are equal. */
function checkComparison({ exchanges, comparedHeaders }: Cassette, body: Buffer): void {
  for (const { request } of exchanges) {
    checkQuery(request)
    const one = toComparable(request, comparedHeaders, hide)
    const two = toComparable({ ...request, body }, comparedHeaders, hide)
    expectEqual(findMismatch(one, one), undefined, 'the difference of a request from itself')
    const isEqual = findMismatch(one, two) === undefined
    expectEqual(findMismatch(two, one) === undefined, isEqual, 'the comparison the other way')
    const digits = (text: Buffer) => hide(text.toString('latin1')).replaceAll(/\D/g, '')
    if (isEqual && one.body.kind === 'json' && !/[".eE]/.test(body.toString())) {
      expectEqual(
        [...digits(body)].sort().join(''),
        [...digits(request.body)].sort().join(''),
        'the digits of equal bodies',
      )
    }
  }
}
