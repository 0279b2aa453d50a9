import { describe, expect, it } from 'vitest'
import { decodeToken, encodeToken } from '../../../src/fleet/catalog/subject-token.ts'

describe('encodeToken()', () => {
  it('returns one part of a subject for every text, from which the text is decoded', () => {
    const texts = [
      '',
      'demo',
      'a.b',
      '1.0.0+x',
      '*',
      '>',
      ' ',
      '=2E',
      "!~*'()",
      'é',
      '𝒳',
      '%2E',
      '\n',
    ]
    const tokens = texts.map(encodeToken)
    for (const token of tokens) expect(token).toMatch(/^[\w=-]+$/)
    expect(tokens.map(decodeToken)).toEqual(texts)
    expect(new Set(tokens).size).toBe(texts.length)
  })

  it('is the only spelling of a text', () => {
    for (const token of ['=2e', '=61', 'a.b', '', '==', '=ZZ', '=E9']) {
      expect(decodeToken(token)).toBeUndefined()
    }
  })
})
