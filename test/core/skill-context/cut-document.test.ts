import { describe, expect, it } from 'vitest'
import { cutDocument } from '../../../src/core/skill-context/cut-document.ts'

const TEXT = [
  '# Guide',
  'intro',
  '## Set up',
  'one',
  '```sh',
  '# Not a heading',
  '```',
  '### Details',
  'two',
  '## Set up',
  'three',
].join('\n')

describe('cutDocument()', () => {
  it('gives a section with all that is below it', () => {
    expect(cutDocument(TEXT, '#set-up')).toBe(TEXT.split('\n').slice(2, 9).join('\n'))
    expect(cutDocument(TEXT, '#details')).toBe('### Details\ntwo')
    expect(cutDocument(TEXT, '#set-up-1')).toBe('## Set up\nthree')
    expect(cutDocument(TEXT, '#Guide')).toBe(TEXT)
  })

  it('gives lines, counted from one', () => {
    expect(cutDocument(TEXT, ':2')).toBe('intro')
    expect(cutDocument(TEXT, ':1-2')).toBe('# Guide\nintro')
    expect(cutDocument(TEXT, '#L10-L99')).toBe('## Set up\nthree')
  })

  it('says what is wrong', () => {
    expect(() => cutDocument(TEXT, '#setup')).toThrow("there is no section '#setup'")
    expect(() => cutDocument(TEXT, '#not-a-heading')).toThrow('there is no section')
    expect(() => cutDocument(TEXT, ':0')).toThrow('lines 0 to 0 are not in a document of 11 lines')
    expect(() => cutDocument(TEXT, ':5-4')).toThrow('lines 5 to 4')
    expect(() => cutDocument('one\n', ':2')).toThrow('are not in a document of 1 line')
    expect(() => cutDocument(TEXT, ':12')).toThrow('lines 12 to 12')
  })
})
