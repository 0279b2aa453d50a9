import fc from 'fast-check'
import matter from 'gray-matter'
import { describe, expect, it } from 'vitest'
import { readMarkdown } from '../../../../src/core/skills/manifest/markdown-source.ts'
import { toManifest } from '../../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../../src/core/skills/manifest/toml-source.ts'

describe('readToml()', () => {
  const text =
    'name = "a.b" # c\n\n[runtime]\nlanguage = "python"\n[inputs]\n"odd key" = { type = "string", enum = ["a", "b"] }\n'
  const toml = readToml('skill.toml', text)
  const sliceAt = (path: (string | number)[], what?: 'key' | 'value') => {
    const { start, end } = toml.locate(path, what)
    return text.slice(start, end)
  }

  it('locates keys and values', () => {
    expect(sliceAt(['name'])).toBe('"a.b"')
    expect(sliceAt(['runtime', 'language'], 'key')).toBe('language')
    expect(sliceAt(['inputs', 'odd key', 'enum', 1])).toBe('"b"')
    expect(sliceAt(['inputs', 'odd key', 'missing'])).toBe('"odd key"')
  })

  it('keeps offsets after a byte order mark and CRLF', () => {
    const marked = `\uFEFF${text.replaceAll('\n', '\r\n')}`
    const { start, end } = readToml('x', marked).locate(['runtime', 'language'])
    expect(marked.slice(start, end)).toBe('"python"')
  })

  it('reports the position of a syntax error', () => {
    const { problem } = readToml('x', 'a = 1\nb = \n')
    expect(problem?.span.start).toBe(10)
  })

  it('never throws for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.stringMatching(/^[[\]{}="'\n a-z.#,0-9-]{0,80}$/),
        ),
        (any) => {
          const read = readToml('x', any)
          read.locate(['a', 'b', 0])
          toManifest({ toml: read, markdown: undefined })
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('locates exactly the parsed values', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/)
    const value = fc.oneof(
      fc.integer({ min: 0, max: 99 }).map(String),
      fc.constant('true'),
      fc.stringMatching(/^[a-z ]{0,8}$/).map((each) => JSON.stringify(each)),
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 8 }),
        (pairs) => {
          const source = pairs.map(([name, each]) => `${name} = ${each}\n`).join('')
          const read = readToml('x', source)
          for (const [name, each] of pairs) {
            const span = read.locate([name])
            expect(source.slice(span.start, span.end)).toBe(each)
          }
        },
      ),
    )
  })
})

describe('readMarkdown()', () => {
  it('never evaluates front matter, unlike the plain parser', () => {
    const evil = '---js\n{ planted: (globalThis.planted = "yes") }\n---\nbody\n'
    const { frontMatter } = readMarkdown('SKILL.md', evil)
    expect(frontMatter.problem?.message).toContain('never evaluated')
    expect((globalThis as { planted?: string }).planted).toBeUndefined()
    matter(evil)
    expect((globalThis as { planted?: string }).planted).toBe('yes')
    delete (globalThis as { planted?: string }).planted
  })

  it.each(['---javascript', '---coffee', '---json', '--- js'])('rejects %s', (fence) => {
    const { frontMatter } = readMarkdown('SKILL.md', `${fence}\n{"a": 1}\n---\n`)
    expect(frontMatter.problem).toBeDefined()
    expect(frontMatter.data).toEqual({})
  })

  it('locates keys and values, also nested ones', () => {
    const text = '---\nname: foo\nmetadata:\n  author: "x y"\n  list: [1, two]\n---\n# Hi\n'
    const { frontMatter, bodyStart } = readMarkdown('SKILL.md', text)
    const sliceAt = (path: (string | number)[], what?: 'key' | 'value') => {
      const { start, end } = frontMatter.locate(path, what)
      return text.slice(start, end)
    }
    expect(sliceAt(['name'])).toBe('foo')
    expect(sliceAt(['metadata', 'author'])).toBe('"x y"')
    expect(sliceAt(['metadata', 'list', 1])).toBe('two')
    expect(sliceAt(['metadata', 'author'], 'key')).toBe('author')
    expect(text.slice(bodyStart)).toBe('# Hi\n')
  })

  it('rejects a line that would end the block early', () => {
    const { frontMatter } = readMarkdown('SKILL.md', '---\na: |\n  x\n---foo\nb: 2\n---\n')
    expect(frontMatter.problem?.message).toContain('begins with "---"')
  })

  it('returns the same result twice, also after an error', () => {
    const bad = '---\na: [1\n---\n'
    expect(readMarkdown('x', bad).frontMatter.problem).toEqual(
      readMarkdown('x', bad).frontMatter.problem,
    )
    const good = readMarkdown('x', '---\na: {b: 1}\n---\n').frontMatter.data
    ;(good['a'] as { b: number }).b = 2
    expect(readMarkdown('x', '---\na: {b: 1}\n---\n').frontMatter.data).toEqual({ a: { b: 1 } })
  })

  it('stops alias bombs and deep nesting', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'
        .split('')
        .map(
          (key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]`,
        ),
    ].join('\n')
    expect(readMarkdown('x', `---\n${bomb}\n---\n`).frontMatter.problem?.message).toContain(
      'too many values',
    )
    expect(
      readMarkdown('x', `---\na: ${'['.repeat(3000)}${']'.repeat(3000)}\n---\n`).frontMatter
        .problem,
    ).toBeDefined()
    expect(
      readMarkdown('x', `---\na: ${'x'.repeat(1_000_000)}\n---\n`).frontMatter.problem?.message,
    ).toContain('expected at most')
  })

  it('never throws and never changes prototypes, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.stringMatching(/^[-:\n a-z&*{}[\]"'!|>#,]{0,80}$/),
        ),
        (any) => {
          const read = readMarkdown('x', `---\n${any}\n---\nbody`)
          read.frontMatter.locate(['a', 0, 'b'])
          toManifest({ toml: undefined, markdown: read })
        },
      ),
      { numRuns: 2000 },
    )
    readMarkdown('x', '---\n__proto__: {polluted: 1}\n---\n')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('toManifest()', () => {
  it('reads every field of the specification and keeps unknown ones', () => {
    const toml = readToml(
      'skill.toml',
      `name = "salesforce.leads.sync"
version = "0.1.0"
description = "Sync leads from a sheet blob into Salesforce."
kind = "action"
namespace = "salesforce"
tags = ["crm", "leads", "sync"]
future = { a = 1 }
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"
extra = 1
[inputs]
sheet_blob = { type = "blob", description = "Blob id of the source sheet" }
env = { type = "string", required = true, enum = ["prod"], odd = 1 }
[permissions]
network = ["https://*.salesforce.com"]
secrets = ["SALESFORCE_API_KEY"]
`,
    )
    const { manifest, problems } = toManifest({ toml, markdown: undefined })
    expect(problems).toEqual([])
    expect(manifest).toMatchObject({
      name: 'salesforce.leads.sync',
      namespace: 'salesforce',
      tags: ['crm', 'leads', 'sync'],
      runtime: { language: 'python', entrypoint: 'code/main.py', export: 'main' },
      permissions: { network: ['https://*.salesforce.com'], secrets: ['SALESFORCE_API_KEY'] },
      unknownKeys: ['future', 'runtime.extra', 'inputs.env.odd'],
    })
    expect(manifest.inputs['env']).toMatchObject({ type: 'string', required: true, enum: ['prod'] })
    expect(manifest.toml?.['future']).toEqual({ a: 1 })
  })

  it('reads a plain Agent Skill as an instruction skill', () => {
    const markdown = readMarkdown(
      'SKILL.md',
      '---\nname: pdf-tools\ndescription: Works with PDF files.\nmetadata:\n  version: "1.2.3"\n---\nbody',
    )
    const { manifest, problems } = toManifest({ toml: undefined, markdown })
    expect(problems).toEqual([])
    expect(manifest).toMatchObject({
      name: 'pdf-tools',
      version: '1.2.3',
      kind: 'instruction',
      namespace: 'pdf-tools',
      toml: null,
    })
    const plain = readMarkdown(
      'SKILL.md',
      '---\nname: pdf-tools\ndescription: Works with PDF files.\n---\n',
    )
    expect(toManifest({ toml: undefined, markdown: plain }).manifest.version).toBe('0.0.0')
  })
})
