// @module-tag slow
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../helpers/built.ts'
import { expectAlive, startProgram } from '../helpers/program.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder } from '../helpers/skills.ts'

/** Code that runs for a minute as a process with its own name. */
function endless(mark: string): string {
  return `import os\ndef main(args):\n    print("up", flush=True)\n    os.execv("/bin/sleep", ["${mark}", "60"])\n`
}

function project(code: string) {
  return createFolder(
    prefixPaths('skills/echo', { ...createActionSkill('demo.echo'), 'code/main.py': code }),
  )
}

describe('a process that runs a skill', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 'SIGHUP'],
    ['SIGKILL', 'SIGKILL'],
  ] as const)('leaves no processes after %s to its group', async (signal, exit) => {
    const mark = `skills-mark-${process.pid}-${signal}`
    const program = startProgram(['exec', 'demo.echo'], { cwd: project(endless(mark)) })
    await expectAlive(mark, 1)
    program.signal(signal)
    expect(await program.ended).toBe(exit)
    await expectAlive(mark, 0)
    expect(program.stdout()).toBe('')
  })

  it('leaves no processes after a second Ctrl-C', async () => {
    const mark = `skills-mark-${process.pid}-twice`
    const program = startProgram(['run-code', '--code', endless(mark), '--json'], {
      cwd: createFolder(),
    })
    await expectAlive(mark, 1)
    program.signal('SIGINT')
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    await expectAlive(mark, 0)
  })

  it('reports the interruption in one document', async () => {
    const mark = `skills-mark-${process.pid}-json`
    const program = startProgram(['exec', 'demo.echo', '--json'], { cwd: project(endless(mark)) })
    await expectAlive(mark, 1)
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    expect(JSON.parse(program.stdout())).toMatchObject({ error: { code: 'run/cancelled' } })
  })

  it.each([
    ['arguments', ['exec', 'demo.echo', '--args', '-']],
    ['a blob', ['exec', 'demo.echo', '--blob', 'name=-']],
    ['code', ['run-code', '-']],
  ])('ends immediately while it waits for %s from stdin', async (_, args) => {
    const program = startProgram(args, { cwd: project('def main(args): return 1\n') })
    // No output shows that it waits; until then the signal also ends it.
    await program.waitUntilIdle()
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    expect(program.stdout()).toBe('')
    // The command ended cleanly: a process that does not is killed later, without output.
    expect(program.stderr()).toContain('Interrupted')
  })
})

/**
 * Runs its arguments on a terminal, types Ctrl-C after "up", and prints the output and the exit
 * code.
 */
const TYPE_CTRL_C = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
typed = False
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    if not typed and b"up" in seen:
        os.write(terminal, b"\\x03")
        typed = True
print(seen.decode("utf-8", "replace"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

describe('Ctrl-C at a terminal', () => {
  it('ends the run with 130 and clears the spinner', async () => {
    const mark = `skills-mark-${process.pid}-terminal`
    const args = ['-c', TYPE_CTRL_C, ...PROGRAM, 'run-code', '--code', endless(mark)]
    const env = { PATH: process.env['PATH'], HOME: createFolder(), TERM: 'xterm' }
    const seen = execFileSync('python3', args, { cwd: createFolder(), encoding: 'utf8', env })
    expect(seen.trimEnd()).toMatch(/The run was cancelled\s+130$/)
    await expectAlive(mark, 0)
  })
})
