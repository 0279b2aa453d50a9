import { describe, expect, it } from 'vitest'
import { findNonFiniteNumbers, formatManifestValue } from '../../../../src/core/skills/manifest/non-finite.ts'
import { createActionSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, runSkills } from '../../../helpers/skills.ts'

const INPUTS = `
[inputs.most]
type = "number"
description = "At most"
default = inf
enum = [1.0, nan]

[other]
deep = [{ low = -inf }]
`

describe('findNonFiniteNumbers()', () => {
  it('finds every number with its path', () => {
    const data = { a: [1, Infinity], b: { c: -Infinity, d: NaN, e: 'inf' } }
    expect(findNonFiniteNumbers(data)).toEqual([
      { path: ['a', '1'], written: 'inf' },
      { path: ['b', 'c'], written: '-inf' },
      { path: ['b', 'd'], written: 'nan' },
    ])
    expect(formatManifestValue(-Infinity)).toBe('-inf')
  })
})

describe('a manifest with inf or nan', () => {
  const cwd = () => createFolder(prefixPaths('skills/greet', createActionSkill('demo.greet', { toml: INPUTS })))

  it('is rejected instead of shown as null', async () => {
    const at = { cwd: cwd() }
    const list = await runSkills(['list', '--json'], at)
    const problems = list.json()['problems'] as { kind: string; message: string }[]
    expect(problems.map(({ kind, message }) => `${kind}: ${message}`)).toContain(
      'invalid: "inputs.most.default" is inf, which JSON cannot represent',
    )
    expect(list.stdout).not.toContain('"default": null')
    const described = await runSkills(['describe', './skills/greet', '--json'], at)
    expect(described.code).toBe(3)
  })

  it('is reported by lint at the position of the number', async () => {
    const { stdout } = await runSkills(['lint', '--format', 'concise'], { cwd: cwd() })
    const found = stdout.split('\n').filter((line) => line.includes('schema/not-finite'))
    expect(found).toEqual([
      'skills/greet/skill.toml:14:11: error "inputs.most.default" is inf, expected a finite number [schema/not-finite]',
      'skills/greet/skill.toml:15:14: error "inputs.most.enum.1" is nan, expected a finite number [schema/not-finite]',
      'skills/greet/skill.toml:18:17: error "other.deep.0.low" is -inf, expected a finite number [schema/not-finite]',
    ])
  })

  it('is rejected for numbers in front matter as well', async () => {
    const markdown =
      '---\nname: greet\ndescription: Greets.\nmetadata:\n  most: .inf\n---\n# Greet\n'
    const dir = createFolder({ 'skills/greet/SKILL.md': markdown })
    const { stdout } = await runSkills(['lint', '--format', 'concise'], { cwd: dir })
    expect(stdout).toContain('skills/greet/SKILL.md:5:9: error "metadata.most" is inf')
  })
})
