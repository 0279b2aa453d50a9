import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import matter from 'gray-matter'
import { describe, expect, it } from 'vitest'
import { readMarkdown } from '../../../../src/core/skills/manifest/markdown-source.ts'
import { MAX_FILES, readSkillSource } from '../../../../src/core/skills/manifest/read-source.ts'
import { toManifest } from '../../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../../src/core/skills/manifest/toml-source.ts'
import { createFolder } from '../../../helpers/skills.ts'

const marks = globalThis as { evaluated?: number }
const createFrontMatter = (yaml: string) =>
  readMarkdown('SKILL.md', `---\n${yaml}\n---\nbody`).frontMatter

describe('front matter as code', () => {
  const code = '---js\n{ name: (globalThis.evaluated = 1) }\n---\n'

  it('would be evaluated by plain gray-matter', () => {
    delete marks.evaluated
    matter(code, {})
    expect(marks.evaluated).toBe(1)
  })

  it.each(['js', 'javascript', ' js', 'coffee', 'json'])(
    '"---%s" is reported as a problem and never evaluated',
    (tag) => {
      delete marks.evaluated
      const { problem, data } = readMarkdown('SKILL.md', code.replace('js', tag)).frontMatter
      expect(problem?.message).toContain('never evaluated')
      expect(data).toEqual({})
      expect(marks.evaluated).toBeUndefined()
    },
  )
})

describe('hostile front matter', () => {
  const levels = [...'bcdefghij'].map((key, at) => {
    const alias = `*${'abcdefghi'[at]}`
    return `${key}: &${key} [${Array(9).fill(alias).join(', ')}]`
  })

  it.each([
    ['a bomb of aliases', ['a: &a [x, x]', ...levels].join('\n'), 'too many values'],
    ['a value that holds itself', 'a: &a [*a]', 'nested too deeply'],
    ['sixty thousand brackets', `a: ${'['.repeat(60_000)}`, 'nested too deeply'],
    ['nested maps', `a: ${'{a: '.repeat(15_000)}`, 'nested too deeply'],
    ['nested list markers', `a:\n  ${'- '.repeat(30_000)}x`, 'nested too deeply'],
    ['one megabyte', `a: ${'x'.repeat(1_000_000)}`, 'expected at most'],
    ['a function', 'a: !!js/function "function () {}"', 'Unknown tag'],
  ])('%s is reported as a problem with a position', (_, yaml, message) => {
    const { problem, data, locate } = createFrontMatter(yaml)
    expect(problem?.message).toContain(message)
    expect(data).toEqual({})
    expect(() => locate(['a', 0])).not.toThrow()
  })
})

describe('a hostile folder', () => {
  it('is listed without following a loop of symlinks', () => {
    const dir = createFolder({ 'SKILL.md': '---\nname: a\ndescription: b\n---\n' })
    symlinkSync('.', join(dir, 'loop'))
    const { files } = readSkillSource(dir)
    expect(files.map(({ path, type }) => [path, type])).toEqual([
      ['SKILL.md', 'file'],
      ['loop', 'symlink'],
    ])
  })

  it('is cut at the maximum number of files, and marked as cut', () => {
    const dir = createFolder({ 'SKILL.md': '' })
    for (let at = 0; at < MAX_FILES; at++) writeFileSync(join(dir, `f${at}`), '')
    const source = readSkillSource(dir)
    expect(source.filesCut).toBe(true)
    expect(source.files).toHaveLength(MAX_FILES)
  })

  it('with a binary SKILL.md has no text and does not crash', () => {
    const source = readSkillSource(createFolder({ 'SKILL.md': Uint8Array.of(0xff, 0xfe, 0, 1) }))
    expect(source.markdown).toBeUndefined()
    expect(toManifest(source).problems).not.toEqual([])
  })
})

describe('generated text', () => {
  const toml = fc.array(
    fc.constantFrom(
      'a',
      '=',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '.',
      ',',
      '\r\n',
      ' ',
      '1',
      '#',
      '😀',
      '\\',
      '-',
    ),
  )
  const yaml = fc.array(
    fc.constantFrom(
      'a',
      ':',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '- ',
      ',',
      '\r\n',
      ' ',
      '&a',
      '*a',
      '!',
      '|',
      '? ',
      '%',
      '😀',
      '---',
    ),
  )
  const paths = [['a'], ['a', 0], ['a', 'a', 1]]

  it('does not make the TOML reader throw, nor report positions outside the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          toml.map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const source = readToml('skill.toml', text)
          const spans = [...paths.map((path) => source.locate(path)), source.problem?.span]
          for (const span of spans) if (span) expect(span.end).toBeLessThanOrEqual(text.length)
          toManifest({ toml: source, markdown: undefined })
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('does not make the front matter reader throw, nor report positions outside the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          yaml.map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const expanded = `---\n${text}\n---\n`
          const source = readMarkdown('SKILL.md', expanded)
          const { frontMatter: block } = source
          const spans = [...paths.map((path) => block.locate(path)), block.problem?.span]
          for (const span of spans) if (span) expect(span.end).toBeLessThanOrEqual(expanded.length)
          toManifest({ toml: undefined, markdown: source })
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('the depth check', () => {
  it.each([
    ['dots', '.'],
    ['dashes', ' - '],
    ['question marks', '? '],
    ['brackets', '[{'],
  ])('accepts a text of one line with 1,500 %s', (_, mark) => {
    const { data, problem } = readToml('skill.toml', `description = "a${mark.repeat(1500)}"\n`)
    expect(problem).toBeUndefined()
    expect(data['description']).toHaveLength(1 + 1500 * mark.length)
  })

  it.each([
    ['a list of 3,000 numbers', `a = [${'-1.5,'.repeat(3000)}]\n`],
    ['a comment', `# ${'[.'.repeat(3000)}\n`],
    ['a text of many lines', `a = """\n${'[{.'.repeat(3000)}\\""" "" """\n`],
    ['a literal text', `a = '''${'[{.'.repeat(3000)}'''\n`],
    ['many short dotted keys', Array.from({ length: 500 }, (_, at) => `a.b${at} = 1\n`).join('')],
  ])('accepts %s', (_, text) => {
    expect(readToml('skill.toml', text).problem).toBeUndefined()
  })

  it.each([
    ['a dotted key', `a${'.a'.repeat(300)} = 1\n`],
    ['a quoted dotted key', `"a"${' . "a"'.repeat(300)} = 1\n`],
    ['a header', `[a${'.a'.repeat(300)}]\n`],
    ['tables whose keys have dots', `x = ${`{ a${'.a'.repeat(100)} = `.repeat(50)}`],
  ])('rejects %s of 300 levels', (_, text) => {
    expect(readToml('skill.toml', text).problem?.message).toBe('The file is nested too deeply')
  })

  it.each(['a: ', "'a': ", '- a: ', 'a: - ', '? a : ', '*a ', '&a ', '- ? ', ': '])(
    'prevents a crash by a line that repeats %j',
    (unit) => {
      for (const before of ['', 'k: ']) {
        const text = `---\n${before}${unit.repeat(20_000 / unit.length)}x\n---\n`
        const read = readMarkdown('SKILL.md', text).frontMatter
        read.locate(['k', '0', 'a'])
        expect(read.problem ?? read.repaired).toBeDefined()
      }
    },
  )

  it('accepts a description with many markers', () => {
    const text = `---\ndescription: "${'a - b? c. [d] '.repeat(1500)}"\n---\n`
    expect(readMarkdown('SKILL.md', text).frontMatter.problem).toBeUndefined()
  })
})
