import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../../../src/util/find-program.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn } from '../runs/run-action.ts'
import { createSession } from '../workspaces/in-workspace.ts'
import { warmRuntime } from './warm/warm-runtime.ts'

const SCRIPT = fileURLToPath(new URL('regained-rights.py', import.meta.url))
const isRoot = process.getuid?.() === 0
const why = isRoot ? '' : ' (not run: these tests run as an ordinary user)'

/** A user of the host who is no run. */
const STRANGER = 54_321

const MARKER = `skills-rights-${process.pid}`
const SHELL = `exec -a ${MARKER} sleep 60`
const PYTHON = `import os
os.spawnv(os.P_WAIT, "/bin/sleep", ["${MARKER}", "60"])
`
const call = { cwd: '/', env: { PATH: process.env['PATH'] } }

/** Starts of a run whose process waits, by kind. */
const KINDS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  async 'a function'() {
    const runtime = await createRuntimeIn(createFolder())
    const code = `${PYTHON}def main(args):\n    return 1\n`
    return async () => await runtime.runCode({ language: 'python', code }, call)
  },
  async 'a program'() {
    const runtime = await createRuntimeIn(createFolder())
    return async () => await runtime.execute({ runtime: 'shell', code: SHELL }, call)
  },
  async 'a kernel'() {
    const runtime = await createRuntimeIn(createFolder())
    const cell = { language: 'python', kernel: 'k', code: PYTHON } as const
    return async () => await runtime.runCode(cell, call)
  },
  async 'a command of a session'() {
    const { shell } = await createSession({
      files: { 'demo/SKILL.md': '---\nname: demo\ndescription: x\n---\n' },
    })
    return async () => await shell(SHELL)
  },
  async 'a cold run by bubblewrap'() {
    const runtime = await createRuntimeIn(createFolder(), { 'run.backend': 'bubblewrap' })
    return async () => await runtime.execute({ runtime: 'shell', code: SHELL }, call)
  },
  async 'a container'() {
    const runtime = await createRuntimeIn(createFolder(), { 'run.backend': 'container' })
    const code = `${PYTHON}def main(args):\n    return 1\n`
    return async () => await runtime.runCode({ language: 'python', code }, call)
  },
  async 'a warm run'() {
    const { run } = await warmRuntime()
    return async () => await run(PYTHON)
  },
}

/** Programs that a kind needs, with the packages that have them. */
const NEEDED: Readonly<Record<string, string>> = {
  'a cold run by bubblewrap': 'bwrap',
  'a container': 'podman',
}
const PACKAGES: Readonly<Record<string, string>> = { bwrap: 'bubblewrap', podman: 'podman crun' }

function findMarked(): number | undefined {
  const found = readdirSync('/proc').find((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(MARKER)
    } catch {
      return false
    }
  })
  return found === undefined ? undefined : Number(found)
}

/** Attempts everything with all rights in the namespaces of a run. */
function attemptAll(pid: number, where: 'run' | 'host'): Record<string, string> {
  const outside = createFolder({ secret: 'x', other: 'y' })
  for (const name of ['secret', 'other']) {
    chownSync(join(outside, name), STRANGER, STRANGER)
    chmodSync(join(outside, name), 0o600)
  }
  const argv = [SCRIPT, String(pid), where, outside, String(STRANGER)]
  const printed = execFileSync('python3', argv, { encoding: 'utf8' })
  const lines = printed.trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(' '))) as Record<string, string>
}

describe.skipIf(!isRoot)(`all rights that a process of root's run regains${why}`, () => {
  it.for(Object.keys(KINDS))('are rights of nobody outside of %s', async (kind, test) => {
    const program = NEEDED[kind]
    if (program !== undefined && findProgram(program, process.env['PATH'] ?? '') === undefined) {
      test.skip(`needs ${program}: apt-get install ${PACKAGES[program]}`)
    }
    const start = await KINDS[kind]?.()
    const ended = start?.()
    await expect.poll(findMarked, { timeout: 30_000 }).toBeDefined()
    const pid = findMarked() ?? 0
    try {
      const inside = attemptAll(pid, 'run')
      // The rights in the run's own namespace are there, and lead nowhere.
      expect(inside).toEqual({ ...attempts('held'), rights: 'all' })
      // Control: the same process with rights in the namespace of the host.
      expect(attemptAll(pid, 'host')).toMatchObject(attempts('through'))
    } finally {
      process.kill(pid, 'SIGKILL')
      await ended
    }
  })
})

function attempts(result: string): Record<string, string> {
  const names = [
    'read',
    'own',
    'root',
    'user',
    'mount',
    'uncover',
    'remount',
    'device',
    'name',
    'kill',
  ]
  return Object.fromEntries(names.map((name) => [name, result]))
}
