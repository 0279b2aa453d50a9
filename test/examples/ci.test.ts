// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { installProgram, runChild } from '../helpers/child.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

vi.setConfig({ testTimeout: 300_000 })

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const EXAMPLE = join(ROOT, 'examples/ci')

/** A repository with one skill and the files of the example. */
async function createRepository(): Promise<string> {
  const folder = createFolder({ 'package.json': '{}' })
  installProgram(folder)
  cpSync(EXAMPLE, folder, { recursive: true })
  const created = await runSkills(['new', 'acme.hello', '--yes'], { cwd: folder })
  expect(created).toMatchObject({ code: 0, stderr: '' })
  return folder
}

const runPipeline = async (cwd: string) =>
  await runChild('./ci.sh', [], { cwd, env: { HOME: createFolder() } })

function replaceInFile(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

const hasJq = spawnSync('jq', ['--version']).status === 0

describe.skipIf(!hasJq)(
  `ci.sh${hasJq ? '' : ' (not run: jq is not installed: apt-get install jq)'}`,
  () => {
    it('passes for a new skill and writes the result of the run', async () => {
      const folder = await createRepository()
      const { code, stderr } = await runPipeline(folder)
      expect({ code, stderr }).toMatchObject({ code: 0 })
      expect(JSON.parse(readFileSync(join(folder, 'hello.json'), 'utf8'))).toMatchObject({
        schema: 'skills.run/v1',
        status: 'completed',
      })
    })

    it('fails with an annotation if lint finds an error', async () => {
      const folder = await createRepository()
      replaceInFile(join(folder, 'skills/hello/skill.toml'), '"action"', '"acton"')
      const { code, stdout } = await runPipeline(folder)
      expect(stdout).toContain('::error file=skills/hello/skill.toml,line=')
      expect(code).toBe(1)
    })

    it('fails if a skill returns something else', async () => {
      const folder = await createRepository()
      replaceInFile(join(folder, 'skills/hello/resources/message.txt'), 'Hello', 'Bye')
      const { code, stdout } = await runPipeline(folder)
      expect(stdout).toContain('Bye')
      expect(code).toBe(1)
    })
  },
)

it('the workflow of GitHub Actions runs the commands of ci.sh', () => {
  const workflow = parse(
    readFileSync(join(EXAMPLE, '.github/workflows/skills.yml'), 'utf8'),
  ) as Workflow
  const checks = workflow.jobs.check.steps.filter(({ name }) => !name?.startsWith('Set up'))
  const [, commands = ''] = readFileSync(join(EXAMPLE, 'ci.sh'), 'utf8').split('pipefail\n')
  expect(checks.flatMap(({ run }) => run ?? [])).toEqual(commands.trim().split('\n'))
})

interface Workflow {
  jobs: { check: { steps: { name?: string; run?: string }[] } }
}
