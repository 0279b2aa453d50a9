// @module-tag slow
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn } from './run-warm.ts'

const formatManifest = (name: string, language: string, file: string) =>
  `name = "${name}"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "${language}"\nentrypoint = "code/${file}"\nexport = "main"\n`

async function createRuntimeWith(settings: Record<string, unknown> = {}) {
  const data = createFolder()
  const root = createFolder({
    'twice/skill.toml': formatManifest('twice', 'node', 'main.js'),
    'twice/SKILL.md': '# Twice\n',
    'twice/code/main.js': 'export function twice(n) { return 2 * n }\n',
  })
  const runtime = await createRuntimeIn(data, { roots: [root], ...settings })
  return { runtime, call: { cwd: data, env: { PATH: process.env['PATH'] } } }
}

describe('run_code', () => {
  it.each([
    ['node', 'export function main(args) { return args.n + 1 }'],
    ['node', 'async function main(args) { return args.n + 1 }'],
    ['node', 'module.exports = { main: (args) => args.n + 1 }'],
    ['typescript', 'export function main(args: { n: number }): number { return args.n + 1 }'],
    ['typescript', 'const main = (args: { n: number }) => args.n + 1'],
    ['shell', 'main() { echo $(( $(arg n) + 1 )); }'],
  ])('accepts %s: %s', async (language, code) => {
    const { runtime, call } = await createRuntimeWith()
    const result = await runtime.runCode({ language, code, args: { n: 1 } }, call)
    expect(result).toMatchObject({ status: 'completed', output: 2 })
  })

  it('lets JavaScript import mounted skills', async () => {
    const { runtime, call } = await createRuntimeWith()
    const code = `import { twice } from 'skills/twice'\nexport const main = () => twice(21)`
    const params = { language: 'node', code, mount_skills: ['twice'] }
    expect(await runtime.runCode(params, call)).toMatchObject({ output: 42 })
    const { error } = await runtime.runCode({ language: 'node', code }, call)
    expect(error?.message).toContain('skills')
  })

  it('calls another function than main', async () => {
    const { runtime, call } = await createRuntimeWith()
    const params = { language: 'node', code: 'function other() { return 3 }', entrypoint: 'other' }
    expect(await runtime.runCode(params, call)).toMatchObject({ output: 3 })
  })

  it('names the languages that it accepts', async () => {
    const { runtime, call } = await createRuntimeWith()
    const params = { language: 'cobol', code: 'x' }
    await expect(runtime.runCode(params, call)).rejects.toThrow(
      '"python", "node", "typescript", "shell", got "cobol"',
    )
  })
})
