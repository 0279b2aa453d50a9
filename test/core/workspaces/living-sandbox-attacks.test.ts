// @module-tag slow
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sweepStagingFolders } from '../../../src/core/sandbox/rootfs/stage-files.ts'
import { endSession } from '../../../src/core/workspaces/sessions/end-sessions.ts'
import { countAlive, expectAlive } from '../../helpers/program.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'
import { createSession } from './in-workspace.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const WORKER = fileURLToPath(new URL('living-worker.ts', import.meta.url))
const BACKENDS = ['namespaces', 'bubblewrap'] as const

/** Starts a daemon: its parent has ended, and it has its own session. */
const daemonize = (mark: string) => `python3 -c '
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid() if os.getpid() != os.getsid(0) else None
        os.execv("/bin/sleep", ["${mark}", "600"])
    os._exit(0)
os.wait()
'`

let lastMark = 0
function createMark(): string {
  lastMark += 1
  return `attack-${process.pid}-${lastMark}`
}

describe.each(BACKENDS)('a session on the backend %s', (backend) => {
  it('leaves no daemon when it ends', async () => {
    const mark = createMark()
    const { shell, runtime, call } = await createSession({ settings: { 'run.backend': backend } })
    await shell(daemonize(mark))
    // Control: the daemon survives its command, and the end of another one.
    expect(await shell('sleep 600', { timeout: 1 })).toMatchObject({ exit_code: -1 })
    await expectAlive(mark, 1)
    await endSession(runtime, 's', call)
    expect(countAlive(mark)).toBe(0)
  })

  it('cannot stop, trace or signal the process that serves its commands', async () => {
    const { shell } = await createSession({ settings: { 'run.backend': backend } })
    const attack = `
kill -STOP 1; kill -9 1; kill -TERM 1; kill -USR1 1; kill -INT 1
ls /proc/1/fd; cat /proc/1/environ; cat /proc/1/mem | head -c 1
for fd in 6 7; do echo forged >&$fd; done
ls /proc/self/fd`
    const { output } = await shell(attack)
    expect(output).not.toMatch(/^forged/m)
    expect(output).toMatch(/^0\n1\n2\n3\n/)
    expect((await shell('echo alive')).output).toBe('alive\n')
  })

  it('survives processes that kill and stop everything', async () => {
    const { shell } = await createSession({ settings: { 'run.backend': backend } })
    await shell('sleep 600 & sleep 600 & true')
    expect((await shell('kill -9 -1')).status).toBe('exited')
    expect((await shell('kill -STOP -1', { timeout: 1 })).status).toBe('exited')
    expect((await shell('echo alive')).output).toBe('alive\n')
  })
})

const COUNT = 3000
const numberNames = () => Array.from({ length: COUNT }, (_, at) => `f${at}`)

describe('the end of a session', () => {
  it('ends a command with a sandbox of its own', async () => {
    const mark = createMark()
    const { shell, runtime, call } = await createSession({
      settings: { 'workspace.sandbox': 'command' },
    })
    const cancelled = expect(shell(`exec -a ${mark} sleep 600`)).rejects.toThrow('cancelled')
    await expectAlive(mark, 1)
    await endSession(runtime, 's', call)
    expect(countAlive(mark)).toBe(0)
    await cancelled
  })

  it.each([{}, { background: true }])('ends one that is being prepared (%o)', async (more) => {
    const [mark, preparing] = [createMark(), createMark()]
    const args = ['-c', `[ -e work/ready ] || (touch work/ready; exec -a ${preparing} sleep 3)`]
    const { shell, runtime, call } = await createSession({
      settings: { 'workspace.commands': [{ cmd: 'bash', args, key: 'slow', optional: true }] },
    })
    const starting = shell(daemonize(mark), more)
    const refused = expect(starting).rejects.toThrow('cancelled')
    await expectAlive(preparing, 1)
    await endSession(runtime, 's', call)
    await refused
    expect(countAlive(mark)).toBe(0)
    // Control: the same command starts a daemon.
    await shell(daemonize(mark), more)
    await expectAlive(mark, 1)
  })
})

describe('a session', () => {
  it('that forks without end does not hurt another one', async () => {
    const { shell, runtime, call } = await createSession({
      settings: { 'run.limits.processes': 40 },
    })
    const other = async (command: string) =>
      await runtime.workspaceExec({ session: 'other', command }, call)
    await other('touch /tmp/f')
    const bomb = `python3 -c '
import os
os.setsid() if os.fork() == 0 else os._exit(0)
while True:
    try: os.fork()
    except OSError: pass
'`
    await shell(bomb)
    expect((await other('ls /tmp')).output).toBe('f\n')
    // The bomb leaves no room for a command, so its sandbox ends.
    const crowded = await shell('echo in')
    expect(crowded.warnings?.join()).toMatch(/no room for another process|Cannot fork/)
    await expect.poll(async () => (await shell('echo in')).output, { timeout: 20_000 }).toBe('in\n')
  })

  it('that uses too much memory in the background loses that process, and says so', async () => {
    const { shell } = await createSession({ settings: { 'run.limits.memory': '96MiB' } })
    await shell(`python3 -c 'import time; time.sleep(0.5); x = b"x" * (1 << 30)' & true`)
    await expect
      .poll(async () => (await shell('sleep 0.3')).warnings?.join() ?? '', { timeout: 20_000 })
      .toMatch(/used more than 192 MiB of memory, 2 times run\.limits\.memory/)
    expect((await shell('echo next')).output).toBe('next\n')
  })

  it('removes no files of the host while its old copy of a skill is removed', async () => {
    const { shell, run, skills } = await createSession({
      settings: { 'workspace.skills': 'copies' },
    })
    const victim = createFolder()
    writeTree(victim, Object.fromEntries(numberNames().map((name) => [name, 'kept'])))
    const attack = `python3 -c '
import os
os.mkdir("d")
for name in range(${COUNT}): open("d/f%d" % name, "w").close()
open("/workspace/work/ready", "w").close()
while os.path.lexists("d/f0"): pass
os.rename("d", "e")
os.symlink("${victim}", "d")
open("/workspace/work/swapped", "w").close()
' > /workspace/work/log 2>&1 &`
    await run(attack)
    const list = async () => (await shell('cat work/log; ls work')).output
    await expect.poll(list, { timeout: 60_000 }).toContain('ready')
    writeTree(skills, { 'demo/more.md': 'A change of the skill renews its copy.' })
    const listed = run('ls')
    await listed.catch(() => {})
    expect(readdirSync(victim).length).toBe(COUNT)
    expect((await listed).stdout).toContain('more.md')
    // Control: the folder was replaced by a link while it was removed.
    await expect.poll(list, { timeout: 60_000 }).toContain('swapped')
  })

  it('keeps neither a process nor a folder when its host is killed', async () => {
    const [mark, data, tmp] = [createMark(), createFolder(), createFolder()]
    const child = spawn(
      process.execPath,
      ['--import', BUILT_MODULES, WORKER, data, daemonize(mark)],
      {
        env: { PATH: process.env['PATH'], HOME: data, TMPDIR: tmp },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const end = new Promise((resolve) => child.once('exit', resolve))
    for await (const line of createInterface(child.stdout)) if (line === 'ready') break
    // Control: the daemon and the sandbox are there.
    await expectAlive(mark, 1)
    const [runs = ''] = readdirSync(tmp).filter((name) => name.startsWith('skills-runs'))
    expect(readdirSync(join(tmp, runs))).not.toEqual([])
    child.kill('SIGKILL')
    await end
    await expectAlive(mark, 0)
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = tmp
    sweepStagingFolders()
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    const left = existsSync(join(tmp, runs)) ? readdirSync(join(tmp, runs)) : []
    expect(left).toEqual([])
  })
})
