// @module-tag slow
// @module-tag nightly
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import {
  runHostProgram,
  startHostProgram,
  type HostProgramOptions,
} from '../../../src/core/host-programs/run-host-program.ts'
import { isAlive } from '../../helpers/is-alive.ts'
import { createFolder } from '../../helpers/skills.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MODULE = `${ROOT}src/core/host-programs/run-host-program.ts`
const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }

async function sh(script: string, options: Partial<HostProgramOptions> = {}) {
  return await runHostProgram(['/bin/sh', '-c', script], { env, ...options })
}

/** Waits for a process that writes its PID to a file. */
async function waitForPid(file: string): Promise<number> {
  return await vi.waitFor(
    () => {
      const pid = Number(readFileSync(file, 'utf8'))
      expect(isAlive(pid)).toBe(true)
      return pid
    },
    { timeout: 10_000 },
  )
}

async function waitUntilGone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 })
}

describe('the result of a host program', () => {
  it('contains its output, its exit code and the input that it echoed', async () => {
    const input = 'x'.repeat(300_000)
    const ran = await sh('wc -c; echo error >&2; exit 3', { input })
    expect(ran).toMatchObject({ ok: false, exitCode: 3, stdout: '300000\n', stderr: 'error\n' })
    expect(await sh('cat; pwd', { cwd: '/' })).toMatchObject({ ok: true, stdout: '/\n' })
  })

  it('is well-formed if a program ignores its input, is killed, or cannot be started', async () => {
    expect(await sh('exec true', { input: 'x'.repeat(3_000_000) })).toMatchObject({ ok: true })
    expect(await sh('kill -9 $$')).toMatchObject({ ok: false, signal: 'SIGKILL' })
    for (const [name, code] of [
      ['/no/such', 'ENOENT'],
      ['/etc/passwd', 'EACCES'],
      ['a\0b', 'ERR_INVALID_ARG_VALUE'],
    ]) {
      const ran = await runHostProgram([name ?? ''], { env })
      expect(ran).toMatchObject({ ok: false, failedToStart: { code } })
    }
  })

  it('contains output that a descendant prints shortly after the exit', async () => {
    expect(await sh('(sleep 0.1; echo late) & echo early')).toMatchObject({
      ok: true,
      stdout: 'early\nlate\n',
    })
  })
})

describe('the process tree of a host program', () => {
  const sleeper = (file: string) => `sleep 600 & echo $! > ${file}`

  it.each([
    ['in its group', (file: string) => `${sleeper(file)}; wait`],
    ['with a dead parent', (file: string) => `(${sleeper(file)}); sleep 600`],
    [
      'in a session of its own',
      (file: string) => `setsid sh -c 'echo $$ > ${file}; sleep 600' & wait`,
    ],
    ['deaf to signals', (file: string) => `trap '' TERM INT HUP; ${sleeper(file)}; wait`],
  ])('is killed after a timeout, with a process %s', async (_, script) => {
    const file = join(createFolder({ pid: '0' }), 'pid')
    const running = sh(script(file), { timeoutMs: 2000 })
    const pid = await waitForPid(file)
    const ran = await running
    expect(ran).toMatchObject({ ok: false, timedOut: true, wasCancelled: false })
    await waitUntilGone(pid)
  })

  it('survives a timeout that kills only the program itself (control)', async () => {
    const file = join(createFolder({ pid: '0' }), 'pid')
    const child = execFile('/bin/sh', ['-c', `${sleeper(file)}; wait`], { timeout: 1000 })
    const pid = await waitForPid(file)
    await new Promise((resolve) => child.once('exit', resolve))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  it('is killed after the program exits, and after its caller cancels', async () => {
    const file = join(createFolder({ pid: '0' }), 'pid')
    const ended = sh(`${sleeper(file)}; exit 4`)
    const left = await waitForPid(file)
    expect(await ended).toMatchObject({ exitCode: 4, timedOut: false })
    await waitUntilGone(left)
    writeFileSync(file, '0')
    const controller = new AbortController()
    const cancelled = sh(`${sleeper(file)}; wait`, { signal: controller.signal })
    const pid = await waitForPid(file)
    controller.abort()
    expect(await cancelled).toMatchObject({ ok: false, wasCancelled: true, timedOut: false })
    await waitUntilGone(pid)
  })

  it('does not block its caller if a process escapes it', async () => {
    const file = join(createFolder({ pid: '0' }), 'pid')
    const escape = `setsid sh -c 'echo $$ > ${file}; sleep 600' & while [ ! -s ${file} ]; do :; done`
    const ended = sh(`${escape}; echo done; exit 5`)
    const pid = await waitForPid(file)
    expect(await ended).toMatchObject({ exitCode: 5, stdout: 'done\n' })
    process.kill(pid, 'SIGKILL')
  })

  it('is killed when this process exits', async () => {
    const file = join(createFolder({ pid: '0' }), 'pid')
    const script = `
import { existsSync, readFileSync } from 'node:fs'
import { runHostProgram } from ${JSON.stringify(MODULE)}
void runHostProgram(['/bin/sh', '-c', ${JSON.stringify(`${sleeper(file)}; wait`)}], { env: process.env })
setInterval(() => { if (readFileSync(${JSON.stringify(file)}, 'utf8').length > 1) process.exit(7) }, 20)`
    const words = ['--import', BUILT_MODULES, '--input-type=module', '--eval', script]
    expect(spawnSync(process.execPath, words, { cwd: ROOT }).status).toBe(7)
    const pid = Number(readFileSync(file, 'utf8'))
    expect(pid).toBeGreaterThan(0)
    await waitUntilGone(pid)
  })

  it('is not started if its caller cancelled before', async () => {
    const file = join(createFolder(), 'file')
    const ran = await sh(`touch ${file}`, { signal: AbortSignal.abort() })
    expect([ran.wasCancelled, existsSync(file)]).toEqual([true, false])
  })
})

describe('the output of a host program', () => {
  it.each(['stdout', 'stderr'] as const)('is truncated at its limit on %s', async (name) => {
    const ran = await sh(`yes >&${name === 'stdout' ? 1 : 2}`, { maxBytes: 100_000 })
    expect(ran).toMatchObject({ ok: false, wasCut: true, timedOut: false })
    expect(ran[name]).toHaveLength(100_000)
    expect(await sh('yes | head -c 100000', { maxBytes: 100_000 })).toMatchObject({ ok: true })
  })

  it('kills a program that prints too much and then waits', async () => {
    const ran = await sh('head -c 2000 /dev/zero; exec sleep 600', { maxBytes: 1000 })
    expect(ran).toMatchObject({ ok: false, wasCut: true, signal: 'SIGKILL' })
  })

  it('has no limit if it is ignored', async () => {
    const ran = await sh('head -c 100000 /dev/zero >&2', { maxBytes: 10, ignoresStderr: true })
    expect(ran).toMatchObject({ ok: true, stderr: '' })
  })
})

describe('the environment and arguments of a host program', () => {
  it('contain no variable of this process', async () => {
    vi.stubEnv('SECRET_OF_THE_CALLER', 'x')
    const given = { PATH: env.PATH, ONLY: '1', ABSENT: undefined }
    const ran = await runHostProgram(['/usr/bin/env'], { env: given })
    expect(ran.stdout.trim().split('\n').sort()).toEqual(['ONLY=1', `PATH=${env.PATH}`])
    expect(execFileSync('/usr/bin/env', { encoding: 'utf8' })).toContain('SECRET_OF_THE_CALLER')
    vi.unstubAllEnvs()
  })

  it('contain arguments that no shell parses', async () => {
    const dir = createFolder()
    const word = `$(touch ${dir}/word) ; touch ${dir}/word | \`touch ${dir}/word\` "*`
    expect(await runHostProgram(['/bin/echo', word], { env })).toMatchObject({
      stdout: `${word}\n`,
    })
    const name = join(dir, 'a; touch name; $(touch name)')
    writeFileSync(name, '#!/bin/sh\necho "$0"')
    chmodSync(name, 0o755)
    const ran = await runHostProgram([name], { env, cwd: dir })
    expect(ran.stdout).toBe(`${name}\n`)
    expect([existsSync(`${dir}/word`), existsSync(`${dir}/name`)]).toEqual([false, false])
    spawnSync(`echo ${word}"`, { shell: '/bin/sh', cwd: dir })
    expect(existsSync(`${dir}/word`)).toBe(true)
  })
})

describe('an installer', () => {
  it('stays in the session of its caller, and its descendants are still killed with it', async () => {
    const session = 'cut -d" " -f6 /proc/self/stat'
    const own = execFileSync('/bin/sh', ['-c', session], { encoding: 'utf8' })
    expect((await sh(session, { keepsSession: true })).stdout).toBe(own)
    expect((await sh(session)).stdout).not.toBe(own)
    const file = join(createFolder({ pid: '0' }), 'pid')
    const script = `sleep 600 & echo $! > ${file}; wait`
    const running = sh(script, { keepsSession: true, timeoutMs: 2000 })
    const pid = await waitForPid(file)
    expect(await running).toMatchObject({ timedOut: true })
    await waitUntilGone(pid)
  })
})

describe('an interactive host program', () => {
  it('runs until its caller ends it', async () => {
    const program = await startHostProgram(['/bin/cat'], { env })
    program.stdin?.write('hello\n')
    const line = await new Promise((resolve) => program.stdout?.once('data', resolve))
    expect(String(line)).toBe('hello\n')
    program.end()
    expect(await program.result).toMatchObject({ ok: false, signal: 'SIGKILL', stdout: '' })
  })
})

describe('a process with too many open files', () => {
  /** Starts a program with few file descriptors left, and again with all of them. */
  function startWithFew(left: number, start: string) {
    const script = `
import { closeSync, openSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
${start}
const held = []
try { for (;;) held.push(openSync('/dev/null', 'r')) } catch {}
for (const fd of held.splice(0, ${left})) closeSync(fd)
const first = await run()
for (const fd of held) closeSync(fd)
await setTimeout(50)
console.log(first, await run())`
    const node = [
      process.execPath,
      '--import',
      BUILT_MODULES,
      '--input-type=module',
      '--eval',
      script,
    ]
    const words = ['-c', 'ulimit -n 300; exec "$@"', 'sh', ...node]
    return spawnSync('/bin/sh', words, { encoding: 'utf8', cwd: ROOT, timeout: 60_000 })
  }

  it.each([2, 10, 20, 40])(
    'starts no program with %s left, survives, and starts one later',
    (left) => {
      const { stdout, status } = startWithFew(
        left,
        `import { runHostProgram } from ${JSON.stringify(MODULE)}
       const run = async () => {
         const { ok, failedToStart } = await runHostProgram(['/bin/true'], { env: {} })
         return ok || failedToStart.code
       }`,
      )
      expect([stdout, status]).toEqual(['EMFILE true\n', 0])
    },
  )

  it('fails to load execa for good if it loads without free descriptors (control)', () => {
    const load = `const run = () => import('execa').then(() => true, ({ code }) => code)`
    // A descriptor that Node closes late is enough to load it, so the control has several tries.
    const fails = () => startWithFew(0, load).stdout === 'EMFILE EMFILE\n'
    expect(Array.from({ length: 8 }).some(fails)).toBe(true)
    const start = `import { execa } from 'execa'; const run = () => execa('/bin/true').catch(() => 0)`
    expect(startWithFew(2, start).status).not.toBe(0)
  })
})
