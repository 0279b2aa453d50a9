import { describe, expect, it } from 'vitest'
import { toComparable } from '../../../src/core/testing/cassettes/comparable-request.ts'
import { findMismatch } from '../../../src/core/testing/cassettes/compare-requests.ts'
import { readCassette } from '../../../src/core/testing/cassettes/read-cassette.ts'

const compare = (body: string, query = '') =>
  toComparable(
    { method: 'POST', url: `https://a.test/${query}`, headers: [], body: Buffer.from(body) },
    [],
    (text) => text,
  )

describe('requests are different', () => {
  it.each([
    [
      'integers beyond the precision of JavaScript',
      '{"a":9007199254740993}',
      '{"a":9007199254740992}',
    ],
    ['a number that is not finite', '[1e999]', '[null]'],
    ['a key __proto__', '{"__proto__":{"a":1}}', '{}'],
  ])('by %s', (_name, one, two) => {
    expect(findMismatch(compare(one), compare(one))).toBeUndefined()
    expect(findMismatch(compare(one), compare(two))?.text).toBe('its body')
  })

  it('by parameters that look alike without their escapes', () => {
    const mismatch = findMismatch(compare('', '?a=1%26b=2'), compare('', '?a=1&b=2'))
    expect(mismatch?.text).toBe('its query: expected "a=1%26b=2", got "a=1&b=2"')
    expect(findMismatch(compare('', '?b=2&a=1'), compare('', '?a=1&b=2'))).toBeUndefined()
  })

  it('and a body of 100,000 nested lists is compared as text', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(findMismatch(compare(deep), compare(deep))).toBeUndefined()
    expect(findMismatch(compare(deep), compare(`${deep} `))?.text).toBe('its body')
  })
})

it.each([
  ['"Content-Length" = "1"', 'The runtime sets the header "Content-Length" of an answer'],
  ['content-encoding = "gzip"', 'The runtime sets the header "content-encoding" of an answer'],
  ['transfer-encoding = "chunked"', 'The runtime sets the header "transfer-encoding" of an answer'],
  [String.raw`a = "\u0001"`, 'A header has no line breaks, and only characters of Latin-1'],
  ['a = "日"', 'A header has no line breaks, and only characters of Latin-1'],
])('a cassette whose answer has the header %s is refused', (header, message) => {
  const text = `[[exchanges]]\nrequest = { method = "GET", url = "https://a.test/" }\nresponse = { status = 200, headers = { ${header} } }\n`
  const { problems } = readCassette('/nothing/a.toml', text)
  expect(problems.map((each) => [each.message, each.start.line])).toEqual([[message, 3]])
})
