// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { killTree } from '../../../src/util/process-tree.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, runPython } from '../runs/run-python.ts'
import { BIN } from '../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const settings = { 'run.backend': 'process' }
const DAEMON = `skills-process-${process.pid}`
/** Children that leave their parent and their session. */
const SCATTER = `for _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0: os.execv("/bin/sleep", ["${DAEMON}", "600"])\n        os._exit(0)\ntime.sleep(0.5)\n`

function daemons(): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(DAEMON)
    } catch {
      return false
    }
  })
}

async function eventually(condition: () => boolean): Promise<boolean> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (condition()) return true
    await sleep(50)
  }
  return false
}

describe('the backend process', () => {
  it('is never selected by auto', async () => {
    expect((await new Sandboxes().openBackend('auto')).guarantees.tier).toBe('strict')
  })

  it('warns first that it does not isolate', async () => {
    const { logs_preview: logs, isolation } = await runPython(buildMain('print("first")'), {
      settings,
    })
    expect(logs).toMatch(/^\[skills\] This run is NOT isolated \(backend "process"\).*\nfirst\n$/)
    expect(isolation).toMatchObject({ backend: 'process', tier: 'none', seccomp: false })
  })

  it('is refused if strict isolation is required', async () => {
    const strict = { ...settings, 'run.require_isolation': 'strict' }
    await expect(runPython(buildMain('return 1'), { settings: strict })).rejects.toMatchObject({
      code: 'sandbox/too-weak',
      message: expect.stringContaining('"process" does not isolate'),
    })
  })

  it('is refused if a skill must be restricted to its destinations', async () => {
    const toml = '[permissions]\nnetwork = ["https://example.com"]\n'
    const run = runPython(buildMain('return 1'), {
      settings,
      toml,
      call: { grants: { allowNetwork: true } },
    })
    await expect(run).rejects.toMatchObject({ code: 'policy/denied' })
  })

  it('kills scattered processes of a run at its timeout', async () => {
    const code = `${SCATTER}print("scattered", flush=True)\ntime.sleep(600)`
    const { error, logs_preview: logs } = await runPython(buildMain(code), {
      settings,
      timeoutMs: 4000,
    })
    expect(error?.type).toBe('Timeout')
    expect(logs).toContain('scattered')
    expect(daemons()).toEqual([])
  })

  it('reports a skill that kills the first process', async () => {
    const { error } = await runPython(buildMain('os.kill(os.getppid(), 9)\ntime.sleep(600)'), {
      settings,
    })
    expect(error).toMatchObject({ type: 'SandboxError' })
  })

  it('keeps a secret out of the environment of the first process', async () => {
    const code = 'return open("/proc/%d/environ" % os.getppid()).read() if os.getuid() == 0 else ""'
    const { output, error } = await runPython(buildMain(code), {
      settings,
      toml: '[permissions]\nsecrets = ["TOKEN"]\n',
      call: { grants: { secrets: new Map([['TOKEN', 'hunter2-process']]) } },
    })
    // Even root needs capabilities to read it.
    expect(error?.type ?? output).toMatch(/^(?:PermissionError|)$/)
  })

  it('leaves no process alive when its caller is killed', async () => {
    const code = `import os, time\n\ndef main(args):\n${`${SCATTER}print("begun", flush=True)\ntime.sleep(600)`.replace(/^/gm, '    ')}\n`
    const dir = createFolder(
      prefixPaths('skill', { ...createActionSkill('demo.lost'), 'code/main.py': code }),
    )
    const words = [BIN, 'exec', join(dir, 'skill')]
    const caller = spawn(process.execPath, [...words, '--no-config'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: dir, TMPDIR: dir, SKILLS_RUN_BACKEND: 'process' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let printed = ''
    caller.stderr.on('data', (chunk: Buffer) => (printed += String(chunk)))
    expect(await eventually(() => printed.includes('begun'))).toBe(true)
    expect(daemons()).toHaveLength(3)
    caller.kill('SIGKILL')
    await once(caller, 'exit')
    expect(await eventually(() => daemons().length === 0)).toBe(true)
  }, 30_000)
})

describe('killTree()', () => {
  it('kills descendants with their parent, and no other process', async () => {
    const other = spawn('sleep', ['600'])
    const tree = spawn('sh', ['-c', 'sleep 600 & sh -c "sleep 600 & wait" & echo up; wait'])
    await once(tree.stdout, 'data')
    await sleep(100)
    const below = readFileSync(`/proc/${tree.pid}/task/${tree.pid}/children`, 'utf8')
      .trim()
      .split(' ')
    expect(below).toHaveLength(2)
    killTree(tree.pid as number)
    await once(tree, 'exit')
    expect(await eventually(() => below.every((pid) => !existsSync(`/proc/${pid}/exe`)))).toBe(true)
    expect(other.exitCode).toBeNull()
    other.kill()
  })
})
