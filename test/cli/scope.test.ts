// @module-tag slow
// @module-tag nightly
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isAlive } from '../helpers/is-alive.ts'
import { PROGRAM } from '../helpers/built.ts'
import { writeTree } from '../helpers/skills.ts'

// skills doctor compiles a program of each installed language.
vi.setConfig({ testTimeout: 300_000 })

/** Executes its program, as systemd-run does in a scope, and records its arguments. */
const EXECUTES = `for word in "$@"; do echo "$word"; done >> "$HOME/argv"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"`
const FAILS = 'echo "Failed to connect to bus: No medium found" >&2; exit 1'

const isRoot = process.getuid?.() === 0

/** A home folder of an ordinary user, with a program in place of systemd-run. */
function createHome(systemdRun: string, files: Record<string, string> = {}) {
  const home = mkdtempSync('/tmp/skills-scope-')
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  writeTree(home, { 'bin/systemd-run': `#!/bin/sh\n${systemdRun}\n`, 'work/.keep': '', ...files })
  chmodSync(join(home, 'bin/systemd-run'), 0o755)
  for (const each of ['', 'work']) chmodSync(join(home, each), 0o777)
  return home
}

function start(home: string, argv: readonly string[], env: Record<string, string> = {}) {
  const [node = '', ...args] = PROGRAM
  const child = spawn(node, [...args, ...argv], {
    cwd: join(home, 'work'),
    env: { PATH: `${join(home, 'bin')}:/usr/bin:/bin`, HOME: home, TMPDIR: home, ...env },
    stdio: 'pipe',
    ...(isRoot && { uid: 65534, gid: 65534 }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function run(home: string, argv: readonly string[], env: Record<string, string> = {}) {
  const child = start(home, argv, env)
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  child.stdin.end('def main(args):\n    return args\n')
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: await stdout, stderr: await stderr }
}

function readArgv(home: string): string[] {
  const file = join(home, 'argv')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

const SCOPED = { SKILLS_RUN_SCOPE: 'systemd', SKILLS_RUN_REQUIRE_ISOLATION: 'any' }
const CODE = ['run-code', '-', '--json', '--args', '{"text": "a $HOME b"}']

describe('run.scope = "systemd"', () => {
  it('starts a command that runs skills in a scope, with its arguments and streams', async () => {
    const home = createHome(EXECUTES)
    const { code, stdout } = await run(home, CODE, SCOPED)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { output: { text: 'a $HOME b' } }])
    const argv = readArgv(home)
    expect(argv.slice(0, 8)).toEqual(
      '--user --scope -p Delegate=yes --quiet --collect -- '.concat(process.execPath).split(' '),
    )
    expect(argv.slice(-CODE.length)).toEqual(CODE)
  })

  it('starts no scope without the setting, for other commands, or for a remote runtime', async () => {
    const home = createHome(EXECUTES)
    expect((await run(home, CODE)).code).toBe(0)
    expect((await run(home, ['list'], SCOPED)).code).toBe(0)
    const remote = ['exec', 'a.b', '--url', 'http://127.0.0.1:9']
    expect((await run(home, remote, SCOPED)).code).not.toBe(0)
    expect(readArgv(home)).toEqual([])
  })

  it('keeps the exit code and the error of the command', async () => {
    const home = createHome(EXECUTES)
    const failed = await run(home, ['exec', 'not.there', '--json'], SCOPED)
    const plain = await run(home, ['exec', 'not.there', '--json'])
    expect([failed.code, failed.stdout]).toEqual([plain.code, plain.stdout])
    expect(readArgv(home)).toContain('not.there')
  })

  it('refuses to run without the scope if systemd gives none', async () => {
    const home = createHome(FAILS)
    const { code, stdout, stderr } = await run(home, CODE, SCOPED)
    expect([code, stdout]).toMatchObject([3, expect.stringContaining('sandbox/unavailable')])
    expect(stderr + stdout).toContain('Failed to connect to bus')
    expect(stdout).toContain('skills config set --global run.scope none')
  })

  it('reports a scope without control groups, in which limits are weaker', async () => {
    const home = createHome(EXECUTES)
    const { stderr } = await run(home, CODE, SCOPED)
    expect(stderr).toContain('it cannot create control groups')
  })
})

describe('a server in a scope', () => {
  async function startServer() {
    const home = createHome(`echo $$ > "$HOME/pid"\n${EXECUTES}`)
    const wrapper = start(home, ['serve', '--port', '0'], SCOPED)
    const printed = new Promise<void>((resolve) => {
      const notice = (chunk: Buffer) => String(chunk).includes('http://') && resolve()
      wrapper.stdout.on('data', notice)
      wrapper.stderr.on('data', notice)
    })
    await printed
    return { wrapper, server: Number(readFileSync(join(home, 'pid'), 'utf8')) }
  }

  async function waitForEnd(pid: number) {
    while (isAlive(pid)) await sleep(20)
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('ends by %s of the command', async (signal) => {
    const { wrapper, server } = await startServer()
    expect(server).not.toBe(wrapper.pid)
    const ended = once(wrapper as ChildProcess, 'exit')
    wrapper.kill(signal)
    expect(await ended).toEqual([0, null])
    await waitForEnd(server)
  })

  it('ends with the command that started it, if that is killed', async () => {
    const { wrapper, server } = await startServer()
    wrapper.kill('SIGKILL')
    await waitForEnd(server)
  })

  it('passes neither the socket nor the variable of the scope to its programs', async () => {
    const { wrapper, server } = await startServer()
    const flags = readFileSync(`/proc/${server}/fdinfo/3`, 'latin1')
    const closesOnExec = 0o2000000
    expect(Number.parseInt(/flags:\s*(\d+)/.exec(flags)?.[1] ?? '', 8) & closesOnExec).toBe(
      closesOnExec,
    )
    wrapper.kill('SIGKILL')
    await waitForEnd(server)
  })
})

describe('skills doctor --fix', () => {
  it('sets run.scope in the configuration of the user, once, and prints how to undo it', async () => {
    const home = createHome('exit 0')
    const file = join(home, '.config/skills/config.toml')
    const first = await run(home, ['doctor', '--fix'])
    expect(first.stderr).toContain(`Set run.scope = "systemd" in ${file}`)
    expect(first.stderr).toContain('To undo: skills config unset --global run.scope')
    expect(first.stdout).toContain('commands that run skills start in a scope of systemd')
    expect(readFileSync(file, 'utf8')).toBe('[run]\nscope = "systemd"\n')
    const second = await run(home, ['doctor', '--fix', '--json'])
    expect(JSON.parse(second.stdout)).toMatchObject({ set: null })
    expect((await run(home, ['config', 'unset', '--global', 'run.scope'])).code).toBe(0)
    const third = await run(home, ['doctor', '--fix', '--json'])
    expect(JSON.parse(third.stdout)).toMatchObject({
      set: { setting: 'run.scope', value: 'systemd', file },
    })
  })

  it('changes nothing if systemd gives no scope', async () => {
    const home = createHome(FAILS)
    const { stdout } = await run(home, ['doctor', '--fix', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ set: null })
    expect(existsSync(join(home, '.config/skills/config.toml'))).toBe(false)
  })
})
