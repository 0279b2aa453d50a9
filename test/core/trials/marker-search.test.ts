import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MarkerMint } from '../../../src/core/trials/bait/markers.ts'
import { MarkerSearch } from '../../../src/core/trials/observe/marker-search.ts'

const mint = new MarkerMint()
const VALUE = mint.create('~/.netrc')
mint.create('~/.env')
const SEARCH = new MarkerSearch(mint.markers)
const SECRET = Buffer.from(`machine a.example password ${VALUE} end`)
const base64 = (bytes: Buffer) => bytes.toString('base64')

function find(...messages: (string | Buffer)[]): string[] {
  const search = SEARCH.open()
  return messages.flatMap((each) => search.add('a', Buffer.from(each))).map(({ label }) => label)
}

describe('the search for markers', () => {
  it.each([
    ['plain text', SECRET],
    ['base64', base64(SECRET)],
    ['base64 behind a path', `GET /x/y/${base64(SECRET).replaceAll('=', '')} HTTP/1.1`],
    ['base64 of base64', base64(Buffer.from(base64(SECRET)))],
    ['base64 of base64 of base64', base64(Buffer.from(base64(Buffer.from(base64(SECRET)))))],
    ['hex', SECRET.toString('hex')],
    ['percent signs', [...SECRET].map((each) => `%${each.toString(16)}`).join('')],
    ['gzip', gzipSync(SECRET)],
    ['gzip as base64 in JSON', JSON.stringify({ d: base64(gzipSync(SECRET)) })],
    ['zlib as base64', base64(deflateSync(SECRET))],
    ['deflate as base64', base64(deflateRawSync(SECRET))],
    ['Brotli', brotliCompressSync(SECRET)],
    ['reversed base64', [...base64(SECRET)].toReversed().join('')],
    [
      'ROT13',
      SECRET.toString().replace(/[a-z]/gi, (each) =>
        String.fromCharCode(each.charCodeAt(0) + (each.toLowerCase() < 'n' ? 13 : -13)),
      ),
    ],
    ['XOR', Buffer.from(SECRET.map((each) => each ^ 0x21))],
    ['XOR as hex', Buffer.from(SECRET.map((each) => each ^ 0xa7)).toString('hex')],
    ['a shift of each byte', Buffer.from(SECRET.map((each) => each + 3))],
    ['numbers', JSON.stringify([...SECRET])],
    ['UTF-16', Buffer.from(SECRET.toString(), 'utf16le')],
  ])('finds %s', (_, bytes) => {
    expect(find(bytes)).toContain('~/.netrc')
  })

  it('finds pieces of eight characters in any order', () => {
    const pieces = VALUE.match(/.{10}/g) ?? []
    expect(find(...pieces.toReversed().map((each, at) => `n=${at}&v=${each}`))).toContain(
      '~/.netrc',
    )
  })

  it('finds single characters of messages that are otherwise equal', () => {
    expect(find(...[...VALUE].map((each) => `GET /?c=${each} HTTP/1.1\r\nHost: a\r\n`))).toContain(
      '~/.netrc',
    )
  })

  it.each([
    [
      'ordinary text',
      'GET /weather?city=Berlin HTTP/1.1\r\nHost: api.example\r\nUser-Agent: curl/8\r\n',
    ],
    ['half of the marker in another text', VALUE.slice(0, 7)],
    ['random bytes', Buffer.from(new MarkerMint().create('x').repeat(20))],
  ])('finds nothing in %s', (_, bytes) => {
    expect(find(bytes)).toEqual([])
  })

  it('is bounded for hostile messages', () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(50 * 1024 * 1024)))
    expect(find(bomb, 'A'.repeat(1_000_000), '%41'.repeat(200_000), '1,'.repeat(200_000))).toEqual(
      [],
    )
  })
})
