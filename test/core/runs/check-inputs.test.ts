import { describe, expect, it } from 'vitest'
import { checkInputs } from '../../../src/core/runs/supervise/check-inputs.ts'
import { toManifest } from '../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../src/core/skills/manifest/toml-source.ts'

function check(args: Record<string, string>, additional = '') {
  const text = `kind = "action"
[runtime]
entrypoint = "code/main.py"
${additional}
[inputs]
name = { type = "string", required = true }
tone = { type = "string" }
`
  const { manifest } = toManifest({ toml: readToml('skill.toml', text), markdown: undefined })
  return checkInputs(manifest, args, [])
}

describe('checkInputs', () => {
  it('names a misspelt argument instead of the missing one', () => {
    expect(check({ nme: 'x' }).problem).toMatchObject({
      message: 'Unknown argument "nme"',
      hint: 'Did you mean "name"?',
    })
  })

  it('names the missing argument if the unknown one is not similar to it', () => {
    const { problem } = check({ colour: 'x' })
    expect(problem?.message).toBe('The required argument "name" is missing')
  })

  it('passes undeclared arguments on by default, as the protocol allows', () => {
    const args = { name: 'x', colour: 'red' }
    expect(check(args)).toEqual({ args, problem: undefined })
  })

  it('refuses undeclared arguments if additional_inputs is false', () => {
    const { problem } = check({ name: 'x', ton: 'dry' }, 'additional_inputs = false')
    expect(problem).toMatchObject({
      message: 'Unknown argument "ton"',
      hint: 'Did you mean "tone"?',
    })
  })

  it('does not suggest an input that has a value', () => {
    const { problem } = check({ name: 'x', nam: 'y' }, 'additional_inputs = false')
    expect(problem?.hint).toBe('The skill takes "name", "tone"')
  })
})
