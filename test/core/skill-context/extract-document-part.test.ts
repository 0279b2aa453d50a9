import { describe, expect, it } from 'vitest'
import { extractDocumentPart } from '../../../src/core/skill-context/extract-document-part.ts'

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

describe('extractDocumentPart()', () => {
  it('extracts a section with its subsections', () => {
    expect(extractDocumentPart(TEXT, '#set-up')).toBe(TEXT.split('\n').slice(2, 9).join('\n'))
    expect(extractDocumentPart(TEXT, '#details')).toBe('### Details\ntwo')
    expect(extractDocumentPart(TEXT, '#set-up-1')).toBe('## Set up\nthree')
    expect(extractDocumentPart(TEXT, '#Guide')).toBe(TEXT)
  })

  it('extracts lines, counted from one', () => {
    expect(extractDocumentPart(TEXT, ':2')).toBe('intro')
    expect(extractDocumentPart(TEXT, ':1-2')).toBe('# Guide\nintro')
    expect(extractDocumentPart(TEXT, '#L10-L99')).toBe('## Set up\nthree')
  })

  it('reports invalid ranges', () => {
    expect(() => extractDocumentPart(TEXT, '#setup')).toThrow("there is no section '#setup'")
    expect(() => extractDocumentPart(TEXT, '#not-a-heading')).toThrow('there is no section')
    expect(() => extractDocumentPart(TEXT, ':0')).toThrow(
      'lines 0 to 0 are not in a document of 11 lines',
    )
    expect(() => extractDocumentPart(TEXT, ':5-4')).toThrow('lines 5 to 4')
    expect(() => extractDocumentPart('one\n', ':2')).toThrow('are not in a document of 1 line')
    expect(() => extractDocumentPart(TEXT, ':12')).toThrow('lines 12 to 12')
  })
})
