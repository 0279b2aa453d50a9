// @module-tag slow
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { createExecutor } from '../../helpers/execute.ts'
import { runPython } from '../runs/run-python.ts'

const env = { PATH: process.env['PATH'] }
const { probe } = await new Sandboxes().openBackend('container')
const engine = await probe(env, { engine: 'auto', runtime: 'default', image: undefined })
const whyNot = engine.ok ? '' : ` (not run: ${engine.detail})`

/** Tries to import a package of the interpreter's environment; returns the ways that succeeded. */
const ATTACK = `import glob, importlib, subprocess, sys

PROGRAM = "import sys; sys.path.extend(sys.argv[1:]); import only_here; print(only_here.WORD)"

def by_name(folders):
    return importlib.import_module("only_here").WORD

def by_folder(folders):
    sys.path.extend(folders)
    return importlib.import_module("only_here").WORD

def in_child(folders):
    return run_child([])

def in_child_by_folder(folders):
    return run_child(folders)

def run_child(folders):
    command = [sys.executable, "-c", PROGRAM, *folders]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

def by_file(folders):
    return "".join(open(each + "/only_here.py").read() for each in folders)

def attempt(way, folders):
    sys.modules.pop("only_here", None)
    importlib.invalidate_caches()
    try:
        return "from the host" in way(folders)
    except Exception:
        return False

def main(args):
    folders = glob.glob("/python-environment/lib*/python3*/site-packages")
    ways = [by_name, by_folder, in_child, in_child_by_folder, by_file]
    return {"mounted": len(folders) > 0, "found": [way.__name__ for way in ways if attempt(way, folders)]}
`

const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
const python = join(dir, 'venv/bin/python')
const sandboxes = new Sandboxes({ python })

beforeAll(async () => {
  chmodSync(dir, 0o755)
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', join(dir, 'venv')])
  const [library = ''] = readdirSync(join(dir, 'venv/lib'))
  const packages = join(dir, 'venv/lib', library, 'site-packages')
  writeFileSync(join(packages, 'only_here.py'), 'WORD = "from the host"\n')
  const pool = await sandboxes.keepWarm({ cwd: dir, env })
  await pool.waitUntilSettled()
})
afterAll(async () => {
  await sandboxes.stop()
  rmSync(dir, { recursive: true, force: true })
})

const attack = async (settings: Record<string, unknown>, options: { isWarm?: boolean } = {}) =>
  await runPython(ATTACK, {
    settings: { 'run.python': python, ...settings },
    sandboxes: options.isWarm ? sandboxes : undefined,
  })

const ALL_WAYS = ['by_name', 'by_folder', 'in_child_by_folder', 'by_file']

describe('packages of this machine', () => {
  it('cannot be imported by a run with a sandbox of its own', { tags: ['slow'] }, async () => {
    const { output, isolation } = await attack({})
    expect(output).toEqual({ mounted: true, found: [] })
    expect(isolation).not.toHaveProperty('host_packages')
  })

  it('cannot be imported by a forked run', async () => {
    const { output, isolation } = await attack({}, { isWarm: true })
    expect(isolation?.path).toBe('warm')
    expect(output).toEqual({ mounted: true, found: [] })
  })

  it.skipIf(whyNot)(`cannot be imported in a container${whyNot}`, { tags: ['slow'] }, async () => {
    const { output } = await attack({ 'run.backend': 'container' })
    expect(output).toEqual({ mounted: true, found: [] })
  })

  it('cannot be imported by name without isolation', { tags: ['slow'] }, async () => {
    const { output } = await attack({ 'run.backend': 'process' })
    expect(output).toEqual({ mounted: false, found: [] })
  })

  it(
    'can all be imported if the operator allows it, which the result states',
    { tags: ['slow'] },
    async () => {
      const cold = await attack({ 'run.host_packages': true })
      expect(cold.output).toEqual({ mounted: true, found: ALL_WAYS })
      expect(cold.isolation?.host_packages).toBe(true)
      expect(cold.logs_preview).toContain('can use the Python and Node packages of this machine')
      const { output } = await attack({ 'run.host_packages': true }, { isWarm: true })
      expect(output).toEqual({ mounted: true, found: ALL_WAYS })
      const onHost = await attack({ 'run.host_packages': true, 'run.backend': 'process' })
      expect(onHost.output).toMatchObject({ found: expect.arrayContaining(['by_name']) })
    },
  )

  it('cannot be imported by a program', async () => {
    const code = `import glob, sys
sys.path.extend(glob.glob("/python-environment/lib*/python3*/site-packages"))
import only_here
print(only_here.WORD)`
    const settings = `[run]\npython = "${python}"\n`
    const run = async (more: string) => {
      const executor = await createExecutor(settings + more)
      return await executor.run({ runtime: 'python', code, outputMode: 'summary' })
    }
    expect(await run('')).toMatchObject({
      exitCode: 1,
      runtimeHints: expect.arrayContaining([expect.stringContaining('--host-packages')]),
    })
    expect(await run('host_packages = true\n')).toMatchObject({
      exitCode: 0,
      stdoutSummary: 'from the host\n',
    })
  })

  it('include those of the system, whose folders are empty inside', async () => {
    const body = `def main(args):
    import glob, os
    folders = ["/usr%s/lib*/python3*/%s-packages" % each for each in [("", "dist"), ("", "site"), ("/local", "dist"), ("/local", "site")]]
    return sorted({name for pattern in folders for folder in glob.glob(pattern) for name in os.listdir(folder)})`
    const hidden = await runPython(body, { settings: { 'run.python': '/usr/bin/python3' } })
    expect(hidden.output).toEqual([])
  })

  it('missing ones are reported with the setting that pins them', async () => {
    const { error } = await runPython('import not_there\n\ndef main(args):\n    return 1\n')
    expect(error).toMatchObject({
      type: 'ModuleNotFoundError',
      hint: 'Type "skills deps add <skill> not_there" to pin it and "skills deps" to install it, or allow the packages of this machine with --host-packages',
    })
  })
})
