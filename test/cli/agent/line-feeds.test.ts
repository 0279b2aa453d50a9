import { describe, expect, it } from 'vitest'
import { createLineFeedFilter } from '../../../src/cli/agent/line-feeds.ts'

const shown = (...chunks: string[]) => {
  const feed = createLineFeedFilter()
  return chunks.map((chunk) => feed(Buffer.from(chunk)).toString('utf8')).join('')
}

describe('line feeds of a program', () => {
  it('end a line after a carriage return, and otherwise only move down', () => {
    expect(shown('one\r\ntwo\nthree é\r\n')).toBe('one\ntwo\u001bDthree é\n')
    expect(shown('one\r', '\ntwo', '\nthree')).toBe('one\r\ntwo\u001bDthree')
  })
})
