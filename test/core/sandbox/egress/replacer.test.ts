import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  relayReplaced,
  Replacer,
  replaceBytes,
} from '../../../../src/core/sandbox/egress/masking/replacer.ts'
import { TextSearch } from '../../../../src/core/sandbox/egress/masking/text-search.ts'

const createSearch = (texts: Readonly<Record<string, string>>) =>
  new TextSearch(
    Object.entries(texts).map(([from, to]) => ({ from: Buffer.from(from), to: Buffer.from(to) })),
  )

/** Replaces at each place the first text of the list that begins there. */
function replaceSlowly(text: string, texts: Readonly<Record<string, string>>): string {
  let replaced = ''
  for (let at = 0; at < text.length;) {
    const found = Object.keys(texts).find((each) => text.startsWith(each, at))
    replaced += found === undefined ? text[at] : texts[found]
    at += found?.length ?? 1
  }
  return replaced
}

describe('a search for several texts', () => {
  it('finds what a comparison at each place finds', () => {
    let seed = 7
    const draw = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    const write = (length: number) => Array.from({ length }, () => 'abc'.charAt(draw(3))).join('')
    for (let round = 0; round < 500; round++) {
      const names = Array.from({ length: 1 + draw(4) }, () => write(1 + draw(5)))
      const texts = Object.fromEntries(names.map((name, at) => [name, `<${at}>`]))
      const text = write(draw(60))
      const replaced = replaceBytes(Buffer.from(text), createSearch(texts)).toString()
      expect(replaced, JSON.stringify({ text, texts })).toBe(replaceSlowly(text, texts))
    }
  })

  it.each(['key', 'key-0123456789', 'k'.repeat(400)])('finds %.20s at every border', (from) => {
    const search = createSearch({ [from]: 'stand-in' })
    const text = Buffer.from(`ab${from}${from}c${from.slice(0, -1)}`)
    for (let cut = 1; cut < text.length; cut++) {
      const replacer = new Replacer(search)
      const parts = [text.subarray(0, cut), text.subarray(cut)].flatMap((each) =>
        replacer.push(each),
      )
      const replaced = Buffer.concat([...parts, replacer.end()]).toString()
      expect(replaced).toBe(`abstand-instand-inc${from.slice(0, -1)}`)
    }
  })
})

describe('a relayed stream', () => {
  it('arrives whole at a slow reader, with a text across each border', async () => {
    const source = new PassThrough()
    const sink = new PassThrough({ highWaterMark: 1000 })
    relayReplaced(source, sink, createSearch({ secret: 'masked' }))
    const piece = 'ret and a sec'.repeat(1000)
    const sent = Array.from({ length: 300 }, () => piece).join('')
    void (async () => {
      for (let n = 0; n < 300; n++) if (!source.write(piece)) await once(source, 'drain')
      source.end()
    })()
    let received = ''
    for await (const chunk of sink) {
      received += String(chunk)
      if (received.length % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(received === sent.replaceAll('secret', 'masked')).toBe(true)
  })

  it('passes on what has arrived, although more follows later', async () => {
    const source = new PassThrough()
    const sink = new PassThrough()
    relayReplaced(source, sink, createSearch({ secret: 'masked' }))
    source.write('data: a secret\n\n')
    const [event] = (await once(sink, 'data')) as [Buffer]
    expect(event.toString()).toBe('data: a masked\n\n')
    source.destroy()
  })
})
