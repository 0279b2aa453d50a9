// @module-tag slow
// @module-tag nightly
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { manageDependencies } from '../../../../src/core/skills/dependencies/manage.ts'
import { executeEntry } from '../../../../src/core/methods/execute-skill/handler.ts'
import { runCodeWithEntries } from '../../../../src/core/methods/run-code/handler.ts'
import { readEntryAt } from '../../../../src/core/skills/repository/open-repository.ts'
import type { Runtime } from '../../../../src/core/runtime.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { createRuntimeIn } from '../../runs/run-python.ts'
import { createSkillWithWheels, TOML, createWheel } from './wheels.ts'

const PATH = process.env['PATH']

async function prepareRuntime(settings: Record<string, unknown> = {}) {
  const data = createFolder()
  const runtime = await createRuntimeIn(data, settings)
  const call = { cwd: data, env: { PATH, HOME: data } }
  return {
    runtime,
    call,
    install: async (dir: string, from: string) => await installPackages(runtime, dir, from),
  }
}

async function installPackages(runtime: Runtime, dir: string, from: string) {
  const manifest = await runtime.repository.manifest(await readEntryAt(dir))
  const { data } = runtime.config.directories
  const call = { cwd: data, env: { PATH, HOME: data } }
  const reports = await manageDependencies(runtime, { manifest, dir }, { check: false, from, call })
  return reports[0]
}

describe('a run of a skill with dependencies', () => {
  it('is rejected before it starts if they are not installed, with the command to type', async () => {
    const { dir } = createSkillWithWheels()
    const { runtime, call } = await prepareRuntime()
    await expect(executeEntry(runtime, { entry: await readEntryAt(dir) }, call)).rejects.toMatchObject({
      code: 'dependencies/not-installed',
      message: expect.stringMatching(/"demo\.hello" are not installed for Python 3/) as string,
      hint: 'Type "skills deps demo.hello" to install them',
    })
  })

  it.each(['auto', 'process'])('imports them with the backend %s', async (backend) => {
    const { dir, wheels } = createSkillWithWheels()
    const { runtime, call, install: add } = await prepareRuntime({ 'run.backend': backend })
    await add(dir, wheels)
    const ran = await executeEntry(runtime, { entry: await readEntryAt(dir) }, call)
    expect(ran).toMatchObject({ status: 'completed', output: 'hello from the wheel' })
  })

  it('cannot change them, and is rejected after they were changed', async () => {
    const { dir, wheels } = createSkillWithWheels({
      'code/main.py':
        'import greetings\n\ndef main(args):\n    try:\n        open(greetings.__file__, "a")\n    except OSError as error:\n        return error.errno\n',
    })
    const { runtime, call, install: add } = await prepareRuntime()
    const report = await add(dir, wheels)
    const entry = await readEntryAt(dir)
    expect([13, 30]).toContain((await executeEntry(runtime, { entry }, call)).output)
    appendFileSync(join(report?.folder ?? '', 'greetings/__init__.py'), 'x = 1\n')
    await expect(executeEntry(runtime, { entry }, call)).rejects.toThrow('were changed since')
  })

  it("searches Python's standard library before them, and passes them to child processes", async () => {
    const { dir, wheels, line } = createSkillWithWheels({
      'code/main.py':
        'import json, subprocess, sys\n\ndef main(args):\n    script = "import greetings; print(greetings.hello())"\n    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)\n    return [hasattr(json, "loads"), said.stdout + said.stderr]\n',
    })
    const other = createWheel(wheels, { name: 'json', files: { 'json.py': 'evil = 1\n' } })
    writeFileSync(join(dir, 'python.lock'), `${line}\n${other}\n`)
    const { runtime, call, install: add } = await prepareRuntime()
    await add(dir, wheels)
    const ran = await executeEntry(runtime, { entry: await readEntryAt(dir) }, call)
    expect(ran.output).toEqual([true, 'hello from the wheel\n'])
  })

  it('imports them in code that imports the skill, and not if it is not mounted', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const { runtime, call, install: add } = await prepareRuntime()
    await add(dir, wheels)
    const code =
      'def main(args):\n    from skills.demo.hello import main as hello\n    return hello({})\n'
    const entries = [await readEntryAt(dir)]
    const requested = { language: 'python', code, entrypoint: 'main', limits: {} } as const
    const ran = await runCodeWithEntries(runtime, { ...requested, entries }, call)
    expect(ran).toMatchObject({ status: 'completed', output: 'hello from the wheel' })
    const bare = 'def main(args):\n    import greetings\n'
    const without = await runCodeWithEntries(runtime, { ...requested, code: bare, entries: [] }, call)
    expect(without.error).toMatchObject({ type: 'ModuleNotFoundError' })
  })

  it('is rejected together with a skill that pins another version of the same package', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const line = createWheel(wheels, {
      name: 'greetings',
      version: '2.0',
      files: { 'greetings/__init__.py': '' },
    })
    const other = createFolder({
      'skill.toml': TOML.replace('demo.hello', 'demo.other'),
      'code/main.py': 'def main(args):\n    pass\n',
      'python.lock': `${line}\n`,
    })
    const { runtime, call, install: add } = await prepareRuntime()
    await add(dir, wheels)
    await add(other, wheels)
    const entries = [await readEntryAt(dir), await readEntryAt(other)]
    const code = 'def main(args):\n    pass\n'
    const requested = { language: 'python', code, entrypoint: 'main', limits: {}, entries } as const
    await expect(runCodeWithEntries(runtime, requested, call)).rejects.toThrow(
      'Skills "demo.hello" and "demo.other" pin different versions of "greetings": 1.0 and 2.0',
    )
  })

  it('of a server imports them in warm sandboxes, also after a new installation', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const { runtime, call, install: add } = await prepareRuntime()
    const report = await add(dir, wheels)
    const warm = await runtime.keepWarm(call)
    onTestFinished(async () => await warm.stop())
    const entry = await readEntryAt(dir)
    const good = { status: 'completed', output: 'hello from the wheel' }
    for (let path: string | undefined; path !== 'warm'; await sleep(50)) {
      const ran = await executeEntry(runtime, { entry }, call)
      expect(ran).toMatchObject(good)
      path = ran.isolation?.path
    }
    writeFileSync(join(report?.folder ?? '', 'greetings/__init__.py'), 'hello = None\n')
    await expect(executeEntry(runtime, { entry }, call)).rejects.toThrow('were changed since')
    await add(dir, wheels)
    expect(await executeEntry(runtime, { entry }, call)).toMatchObject(good)
  }, 120_000)

  it('reports a lock file that is missing or outside the skill', async () => {
    const { dir } = createSkillWithWheels()
    const { runtime, call } = await prepareRuntime()
    for (const [file, code] of [
      ['missing.lock', 'file/not-found'],
      ['../x.lock', 'file/outside'],
    ]) {
      writeFileSync(join(dir, 'skill.toml'), TOML.replace('python.lock', file as string))
      await expect(
        executeEntry(runtime, { entry: await readEntryAt(dir) }, call),
      ).rejects.toMatchObject({ code })
    }
  })
})

describe('a command of a skill with dependencies', () => {
  it('imports them in its workspace, and is rejected if they are not installed', async () => {
    const { dir, wheels } = createSkillWithWheels()
    const { runtime, call, install: add } = await prepareRuntime({ roots: [dir] })
    const command = 'python3 -c "import greetings; print(greetings.hello())"'
    const requested = { session: 's', skill: 'demo.hello', command }
    await expect(runtime.skillRun(requested, call)).rejects.toMatchObject({
      code: 'dependencies/not-installed',
    })
    await expect(runtime.skillExec(requested, call)).rejects.toMatchObject({
      code: 'dependencies/not-installed',
    })
    await add(dir, wheels)
    const ran = await runtime.skillRun(requested, call)
    expect(ran).toMatchObject({ exit_code: 0, stdout: 'hello from the wheel\n' })
    const session = await runtime.skillExec({ ...requested, yield_ms: 20_000 }, call)
    expect(JSON.stringify(session)).toContain('hello from the wheel')
  })
})
