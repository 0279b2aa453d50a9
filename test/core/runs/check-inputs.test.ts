import { describe, expect, it } from 'vitest'
import { checkInputs } from '../../../src/core/runs/supervise/check-inputs.ts'
import { runInSlices } from '../../../src/util/slices/run-in-slices.ts'
import { toManifest } from '../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../src/core/skills/manifest/toml-source.ts'

async function check(args: Record<string, string>, additional = '') {
  const text = `kind = "action"
[runtime]
entrypoint = "code/main.py"
${additional}
[inputs]
name = { type = "string", required = true }
tone = { type = "string" }
`
  const { manifest } = toManifest({ toml: readToml('skill.toml', text), markdown: undefined })
  return await runInSlices(checkInputs(manifest, args, []))
}

describe('checkInputs', () => {
  it('names a misspelt argument instead of the missing one', async () => {
    expect((await check({ nme: 'x' })).problem).toMatchObject({
      message: 'Unknown argument "nme"',
      hint: 'Did you mean "name"?',
    })
  })

  it('names the missing argument if the unknown one is not similar to it', async () => {
    const { problem } = await check({ colour: 'x' })
    expect(problem?.message).toBe('The required argument "name" is missing')
  })

  it('passes undeclared arguments on by default, as the protocol allows', async () => {
    const args = { name: 'x', colour: 'red' }
    expect(await check(args)).toEqual({ args, problem: undefined })
  })

  it('refuses undeclared arguments if additional_inputs is false', async () => {
    const { problem } = await check({ name: 'x', ton: 'dry' }, 'additional_inputs = false')
    expect(problem).toMatchObject({
      message: 'Unknown argument "ton"',
      hint: 'Did you mean "tone"?',
    })
  })

  it('does not suggest an input that has a value', async () => {
    const { problem } = await check({ name: 'x', nam: 'y' }, 'additional_inputs = false')
    expect(problem?.hint).toBe('The skill takes "name", "tone"')
  })

  it('adds defaults to arguments with very many members', async () => {
    const text = `kind = "action"
[inputs]
name = { type = "string", default = "Ada" }
`
    const { manifest } = toManifest({ toml: readToml('skill.toml', text), markdown: undefined })
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, at]))
    const passed = JSON.parse(`{"__proto__":1,${JSON.stringify(many).slice(1)}`)
    const { args } = await runInSlices(checkInputs(manifest, passed, []))
    const expected = `{"__proto__":1,${JSON.stringify({ ...many, name: 'Ada' }).slice(1)}`
    expect(JSON.stringify(args)).toBe(expected)
    expect(Object.hasOwn(passed, 'name')).toBe(false)
  })
})
