// @module-tag slow
// @module-tag nightly
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { executeEntry } from '../../../../../src/core/methods/execute-skill/handler.ts'
import { runCodeWithEntries } from '../../../../../src/core/methods/run-code/handler.ts'
import { manageDependencies } from '../../../../../src/core/skills/dependencies/manage.ts'
import { readEntryAt } from '../../../../../src/core/skills/repository/open-repository.ts'
import { createFolder } from '../../../../helpers/skills.ts'
import { createRuntimeIn } from '../../../runs/run-python.ts'
import { openFakeRegistry, type FakeRegistry } from './fake-registry.ts'
import { createNodeSkill, lockVersions, NODE_TOML } from './node-skills.ts'

const PATH = process.env['PATH']
const GOOD = {
  status: 'completed',
  output: ['hello from npm', 'hello from npm', true],
}

async function prepareRuntime(registry: FakeRegistry, settings: Record<string, unknown> = {}) {
  const data = createFolder()
  const runtime = await createRuntimeIn(data, settings)
  const call = { cwd: data, env: { PATH, HOME: data, npm_config_registry: registry.url } }
  const install = async (dir: string) => {
    const manifest = await runtime.repository.manifest(await readEntryAt(dir))
    const request = { check: false, from: undefined, call }
    return (await manageDependencies(runtime, { manifest, dir }, request))[0]
  }
  return { runtime, call, install }
}

describe('a run of a skill with packages of Node', () => {
  it('is rejected before it starts if they are not installed, with the command to type', async () => {
    const registry = await openFakeRegistry()
    const dir = createNodeSkill(registry)
    const { runtime, call } = await prepareRuntime(registry)
    const entry = await readEntryAt(dir)
    await expect(executeEntry(runtime, { entry }, call)).rejects.toMatchObject({
      code: 'dependencies/not-installed',
      message: 'The dependencies of "demo.node" are not installed for Node',
      hint: 'Type "skills deps demo.node" to install them',
    })
    expect(registry.requests).toEqual([])
  })

  it.each(['auto', 'process'])('imports and requires them with the backend %s', async (backend) => {
    const registry = await openFakeRegistry()
    const dir = createNodeSkill(registry)
    const { runtime, call, install } = await prepareRuntime(registry, { 'run.backend': backend })
    await install(dir)
    const ran = await executeEntry(runtime, { entry: await readEntryAt(dir) }, call)
    expect(ran).toMatchObject(GOOD)
  })

  it('cannot change them, and is rejected after they were changed', async () => {
    const registry = await openFakeRegistry()
    const code = `import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
export function main() {
  try {
    appendFileSync(createRequire(import.meta.url).resolve('greetings'), 'x')
  } catch (error) {
    return error.code
  }
}
`
    const dir = createNodeSkill(registry, { 'code/main.mjs': code })
    const { runtime, call, install } = await prepareRuntime(registry)
    const report = await install(dir)
    const entry = await readEntryAt(dir)
    expect(['EACCES', 'EROFS']).toContain((await executeEntry(runtime, { entry }, call)).output)
    appendFileSync(join(report?.folder ?? '', 'node_modules/greetings/index.js'), '// more\n')
    await expect(executeEntry(runtime, { entry }, call)).rejects.toThrow('were changed since')
    await install(dir)
    expect((await executeEntry(runtime, { entry }, call)).status).toBe('completed')
  })

  it('cannot import packages that only its packages need', async () => {
    const registry = await openFakeRegistry()
    const code = "import words from '@demo/words'\nexport const main = () => words\n"
    const dir = createNodeSkill(registry, { 'code/main.mjs': code })
    const { runtime, call, install } = await prepareRuntime(registry)
    await install(dir)
    const ran = await executeEntry(runtime, { entry: await readEntryAt(dir) }, call)
    expect(ran.error?.message).toContain("Cannot find package '@demo/words'")
  })

  it('imports them in TypeScript, and in code that imports the skill', async () => {
    const registry = await openFakeRegistry()
    const dir = createNodeSkill(registry, {
      'skill.toml': NODE_TOML.replace('"node"', '"typescript"').replace('main.mjs', 'main.ts'),
      'code/main.ts':
        "import hello from 'greetings'\nexport const main = (): string => hello()\n",
    })
    const { runtime, call, install } = await prepareRuntime(registry)
    await install(dir)
    const entry = await readEntryAt(dir)
    expect((await executeEntry(runtime, { entry }, call)).output).toBe('hello from npm')
    const code =
      "import { main as hello } from 'skills/demo.node'\nimport own from 'greetings'\nexport const main = () => [hello(), own()]\n"
    const requested = { language: 'typescript', code, entrypoint: 'main', limits: {} } as const
    const ran = await runCodeWithEntries(runtime, { ...requested, entries: [entry] }, call)
    expect(ran.output).toEqual(['hello from npm', 'hello from npm'])
  })

  it('is rejected together with a skill that pins another version of the same package', async () => {
    const registry = await openFakeRegistry()
    const dir = createNodeSkill(registry)
    const other = createNodeSkill(registry, {
      'skill.toml': NODE_TOML.replace('demo.node', 'demo.other'),
      'package-lock.json': lockVersions(registry, [
        { name: 'greetings', version: '1.5.0', files: { 'index.js': '' } },
      ]),
    })
    const { runtime, call, install } = await prepareRuntime(registry)
    await install(dir)
    await install(other)
    const entries = [await readEntryAt(dir), await readEntryAt(other)]
    const code = 'export const main = () => 1\n'
    const requested = { language: 'node', code, entrypoint: 'main', limits: {}, entries } as const
    await expect(runCodeWithEntries(runtime, requested, call)).rejects.toThrow(
      'Skills "demo.node" and "demo.other" pin different versions of "greetings": 1.0.0 and 1.5.0',
    )
  })

  it('of a server imports them while other runs are warm, also after a new installation', async () => {
    const registry = await openFakeRegistry()
    const dir = createNodeSkill(registry)
    const { runtime, call, install } = await prepareRuntime(registry)
    const report = await install(dir)
    const warm = await runtime.keepWarm(call)
    onTestFinished(async () => await warm.stop())
    const entry = await readEntryAt(dir)
    for (let count = 0; count < 3; count += 1) {
      expect(await executeEntry(runtime, { entry }, call)).toMatchObject(GOOD)
      await sleep(50)
    }
    const file = join(report?.folder ?? '', 'node_modules/@demo/words/index.js')
    writeFileSync(file, "exports.hello = 'evil'\n")
    await expect(executeEntry(runtime, { entry }, call)).rejects.toThrow('were changed since')
    await install(dir)
    expect(await executeEntry(runtime, { entry }, call)).toMatchObject(GOOD)
  }, 120_000)
})

describe('a command of a skill with packages of Node', () => {
  it('imports them in its workspace', async () => {
    const registry = await openFakeRegistry()
    const dir = createNodeSkill(registry)
    const { runtime, call, install } = await prepareRuntime(registry, { roots: [dir] })
    await install(dir)
    const script = "import('greetings').then((all) => console.log(all.default(), require('greetings')()))"
    const requested = { session: 's', skill: 'demo.node', command: `node -e "${script}"` }
    const ran = await runtime.skillRun(requested, call)
    expect(ran).toMatchObject({ exit_code: 0, stdout: 'hello from npm hello from npm\n' })
  })
})
