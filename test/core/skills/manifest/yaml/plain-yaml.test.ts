import fc from 'fast-check'
import matter from 'gray-matter'
import { describe, expect, it } from 'vitest'
import { parsePlainYaml } from '../../../../../src/core/skills/manifest/markdown-source.ts'

/** The general parser; "refused" for what it refuses. */
function parseGeneral(yaml: string): unknown {
  try {
    return matter(`---\n${yaml}\n---\n`, { language: 'yaml' }).data
  } catch {
    return 'refused'
  }
}

/** Texts that YAML could read in another way. */
const PIECES = [
  ...'abcxyzNTF019_-.:,#?!&*|>%@`~^$\'"\\/()[]{}<>=+ \t\r\n\0\u007f\u0085\u00a0é中\u200b\u2028\u2029\ufeff\ufffe\ud800\udc00😀',
  ...'null Null TRUE false yes off inf nan << --- ...'.split(' '),
  '  ',
  ...': | #| # a|- |? |2026-01-01|0x1f|1e3|1:30|__proto__|!!str '.split('|'),
]
const TEXT = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((all) => all.join(''))
const KEY = fc.oneof(
  fc.constantFrom('name', 'description', 'allowed-tools', 'toString', 'constructor', 'True'),
  TEXT,
)
const VALUE = fc.oneof(
  fc.constantFrom('Reads PDF files.', 'a, b [c] {d}', 'x'.repeat(1100)),
  TEXT,
  TEXT.map((text) => `a${text}`),
  TEXT.map((text) => `"${text}"`),
  TEXT.map((text) => `'${text}'`),
)
const LINE = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(KEY, VALUE).map(([key, value]) => `${key}: ${value}`) },
  { weight: 1, arbitrary: TEXT },
)
const YAML = fc.array(LINE, { maxLength: 4 }).map((lines) => lines.join('\n'))

describe('parsePlainYaml()', () => {
  it('reads what the general parser reads, or nothing', () => {
    let read = 0
    fc.assert(
      fc.property(YAML, (yaml) => {
        const data = parsePlainYaml(yaml)
        if (data === undefined) return
        read += 1
        expect({ ...data }).toEqual(parseGeneral(yaml))
      }),
      { numRuns: 20_000 },
    )
    // Control: the property is not true for want of texts that it reads.
    expect(read).toBeGreaterThan(1000)
  })

  it.each([
    ['name: greet\ndescription: Greets a person, e.g. in French.\n'],
    ['name: "greet"\n\ndescription: \'Greets: a person #1\''],
    ['name: 挨拶\nlicense: MIT'],
    [''],
  ])('reads %j', (yaml) => {
    expect({ ...parsePlainYaml(yaml) }).toEqual(parseGeneral(yaml))
    expect(parsePlainYaml(yaml)).toBeDefined()
  })

  it.each([
    ['version: 1.0'],
    ['draft: true'],
    ['description: a: b'],
    ['description: a\n  b'],
    ['description: a # b'],
    ['description: "a\\n"'],
    ['metadata:\n  a: b'],
    ['a: b\na: c'],
    ['- a'],
  ])('leaves %j to the general parser', (yaml) => {
    expect(parsePlainYaml(yaml)).toBeUndefined()
  })
})
