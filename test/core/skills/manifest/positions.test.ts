import { describe, expect, it } from 'vitest'
import { readMarkdown } from '../../../../src/core/skills/manifest/markdown-source.ts'
import type { Span } from '../../../../src/core/skills/manifest/source.ts'
import { toManifest } from '../../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../../src/core/skills/manifest/toml-source.ts'

const slice = (text: string, { start, end }: Span) => text.slice(start, end)

describe.each([
  ['plain', ''],
  ['with a byte order mark', '\uFEFF'],
])('positions in a file %s', (_, mark) => {
  const toml = `${mark}name = "😀"\r\n[inputs.rows]\r\ntype = "array" # 😀\r\ntags = ["x", "yy"]\r\n`

  it('are exact for keys, values and elements of TOML', () => {
    const { locate, problem } = readToml('skill.toml', toml)
    expect(problem).toBeUndefined()
    expect(slice(toml, locate(['name']))).toBe('"😀"')
    expect(slice(toml, locate(['inputs', 'rows', 'type'], 'key'))).toBe('type')
    expect(slice(toml, locate(['inputs', 'rows', 'tags', 1]))).toBe('"yy"')
    expect(slice(toml, locate(['inputs', 'rows', 'missing']))).toBe('inputs.rows')
  })

  it('are exact for keys, values and elements of front matter', () => {
    const text = `${mark}---\r\nname: 😀 a\r\nmetadata:\r\n  version: "1.0.0"\r\ntags: [x, yy]\r\n---\r\nBody`
    const { frontMatter, bodyStart } = readMarkdown('SKILL.md', text)
    expect(frontMatter.problem).toBeUndefined()
    expect(slice(text, frontMatter.locate(['name']))).toBe('😀 a')
    expect(slice(text, frontMatter.locate(['metadata', 'version'], 'key'))).toBe('version')
    expect(slice(text, frontMatter.locate(['tags', 1]))).toBe('yy')
    expect(text.slice(bodyStart)).toBe('Body')
  })

  it('are exact for a syntax error', () => {
    const text = `${mark}a = 1\r\nb = ?\r\n`
    expect(slice(text, readToml('skill.toml', text).problem?.span ?? { start: 0, end: 0 })).toBe('?')
  })
})

describe('the manifest', () => {
  it('keeps unknown keys and reports them as dotted paths', () => {
    const toml = readToml(
      'skill.toml',
      'name = "a.b"\nversion = "1.0.0"\ndescription = "d"\nkind = "instruction"\ncolour = 1\n[inputs.x]\ntype = "string"\nmaximum = 3\n[permissions]\ndisk = true\n',
    )
    const { manifest, problems } = toManifest({ toml, markdown: undefined })
    expect(problems).toEqual([])
    expect(manifest.unknownKeys).toEqual(['colour', 'permissions.disk', 'inputs.x.maximum'])
    expect(manifest.toml?.['colour']).toBe(1)
    expect(manifest.namespace).toBe('a')
  })

  it('of a plain Agent Skill has the version of its metadata, or 0.0.0', () => {
    const parseManifest = (extra: string) =>
      toManifest({
        toml: undefined,
        markdown: readMarkdown('SKILL.md', `---\nname: pdf\ndescription: d\n${extra}---\n`),
      }).manifest
    expect(parseManifest('')).toMatchObject({ name: 'pdf', version: '0.0.0', kind: 'instruction' })
    expect(parseManifest('metadata:\n  version: "2.1.0"\n').version).toBe('2.1.0')
  })

  it('rejects a name in another script', () => {
    const toml = readToml('skill.toml', 'name = "навык"\nversion = "1.0.0"\ndescription = "d"\n')
    expect(toManifest({ toml, markdown: undefined }).problems[0]?.path).toEqual(['name'])
  })
})
