// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { endSession } from '../../../src/core/workspaces/sessions/end-sessions.ts'
import { countAlive, expectAlive } from '../../helpers/program.ts'
import { createSession } from './in-workspace.ts'

const SERVE = `python3 -u -c '
import http.server, sys
class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"hello\\n")
http.server.HTTPServer(("127.0.0.1", 8123), Hello).serve_forever()
'`
const FETCH = `python3 -c '
import time, urllib.request
for attempt in range(100):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8123/").read().decode(), end=""); break
    except OSError: time.sleep(0.05)
else: print("no server")
'`
const FETCH_ONCE = FETCH.replace('range(100)', 'range(1)')

let lastMark = 0
/** A name for processes of one test. */
function createMark(): string {
  lastMark += 1
  return `living-${process.pid}-${lastMark}`
}

describe('the sandbox of a session', () => {
  it('is shared by its commands: a server, localhost and /tmp', async () => {
    const { shell, run } = await createSession()
    expect(await shell(`${SERVE} & echo up > /tmp/f`)).toMatchObject({ exit_code: 0 })
    // The server writes to its standard error, which no command reads any more.
    for (let at = 0; at < 3; at++) expect((await shell(FETCH)).output).toBe('hello\n')
    expect((await run(`cat /tmp/f; ${FETCH}`)).stdout).toBe('up\nhello\n')
  })

  it('has an editor for each command, also for two at once', async () => {
    const { run } = await createSession()
    const edit = async (editor_text: string) =>
      (await run('$EDITOR $RUN_DIR/message; cat $RUN_DIR/message', { editor_text })).stdout
    expect(await edit('first')).toBe('first')
    expect(await edit('second')).toBe('second')
    expect(await Promise.all(['third', 'fourth'].map(edit))).toEqual(['third', 'fourth'])
  })

  it('is not that of another session, nor of another runtime', async () => {
    const { shell, runtime, call, open, toolsOf } = await createSession()
    await shell(`${SERVE} & echo up > /tmp/f`)
    const other = await runtime.workspaceExec(
      { session: 'other', command: `cat /tmp/f; ${FETCH_ONCE}` },
      call,
    )
    expect(other.output).toContain('no server')
    expect(other.output).toContain('No such file')
    expect((await toolsOf(await open()).shell(FETCH_ONCE)).output).toContain('no server')
  })

  it('shows skills that are loaded later, with the same processes', async () => {
    const files = { 'late/SKILL.md': '---\nname: late\ndescription: x\n---\nLate.\n' }
    const { shell, run } = await createSession({ files })
    await shell(`${SERVE} & echo up`)
    const ran = await run(`cat SKILL.md; touch .venv/x; ${FETCH}`, { skill: 'late' })
    expect(ran.stdout).toContain('Late.\nhello\n')
    expect(ran.warnings).toBeUndefined()
    expect((await shell('ls .venvs/late')).output).toBe('x\n')
  })

  it('exists for one command only if the operator chose that', async () => {
    const mark = createMark()
    const { shell } = await createSession({ settings: { 'workspace.sandbox': 'command' } })
    await shell(`(exec -a ${mark} sleep 600) & touch /tmp/f`)
    expect(countAlive(mark)).toBe(0)
    expect((await shell('ls /tmp')).output).toBe('')
  })

  it('exists for one command on the command line', async () => {
    const mark = createMark()
    const { runtime, call } = await createSession()
    const command = `(exec -a ${mark} sleep 600) & true`
    await runtime.workspaceExec({ session: 's', command }, { ...call, caller: { door: 'cli' } })
    expect(countAlive(mark)).toBe(0)
  })

  it('ends with the session, with all of its processes', async () => {
    const mark = createMark()
    const { shell, exec, runtime, call } = await createSession()
    await shell(`(exec -a ${mark} sleep 600) & (setsid -f bash -c 'exec -a ${mark} sleep 600')`)
    await exec(`exec -a ${mark} sleep 600`, { yield_ms: 1 })
    await expectAlive(mark, 3)
    await endSession(runtime, 's', call)
    expect(countAlive(mark)).toBe(0)
    const again = await shell('ls /tmp')
    expect(again).toMatchObject({ exit_code: 0, output: '' })
    expect(again.warnings).toBeUndefined()
  })

  it('ends with the session for a caller of the tools, too', async () => {
    const mark = createMark()
    const { shell, runtime, call } = await createSession()
    await shell(`(exec -a ${mark} sleep 600) & true`)
    await expectAlive(mark, 1)
    const params = { session: 's', session_id: '*' }
    expect(await runtime.kill(params, call)).toMatchObject({ ok: true })
    expect(countAlive(mark)).toBe(0)
  })

  it('ends when it is idle, and a later command is informed', async () => {
    const mark = createMark()
    const { shell } = await createSession({ bounds: { sharedSandboxes: { idleMs: 200 } } })
    // A running command is not idle.
    await shell(`(exec -a ${mark} sleep 600) & sleep 1`)
    await expectAlive(mark, 0)
    const { warnings } = await shell('true')
    expect(warnings?.join()).toMatch(/sandbox is a new one.*idle for more than 200 ms/)
    expect((await shell('true')).warnings).toBeUndefined()
  })

  it('ends for another session when there are too many', async () => {
    const { shell, runtime, call } = await createSession({
      bounds: { sharedSandboxes: { max: 1 } },
    })
    await shell('true')
    await runtime.workspaceExec({ session: 'other', command: 'true' }, call)
    expect((await shell('true')).warnings?.join()).toContain('made room for another session')
    const busy = shell('sleep 600', { yield_time_ms: 1 })
    await expect.poll(async () => (await busy).status).toBe('running')
    const refused = runtime.workspaceExec({ session: 'third', command: 'true' }, call)
    await expect(refused).rejects.toMatchObject({ code: 'run/busy' })
  })

  it('that a restart has lost is reported once', async () => {
    const { shell, open, toolsOf, exec } = await createSession()
    const view = await exec('sleep 600', { yield_ms: 1 })
    await shell('touch /tmp/f; touch work/kept')
    const later = toolsOf(await open())
    const { warnings, output } = await later.shell('ls /tmp work/kept')
    expect(output).toContain('work/kept')
    expect(warnings?.join()).toMatch(/runtime has restarted.*are gone/)
    expect((await later.shell('true')).warnings).toBeUndefined()
    await expect(later.poll(view.session_id)).rejects.toThrow(/restarted since/)
    await expect(later.poll('x')).rejects.toThrow(/^(?!.*restarted)/)
  })
})

describe('a command in the sandbox of its session', () => {
  it('returns its own output, exit code and status only', async () => {
    const { run } = await createSession()
    const commands = ['echo a; exit 3', 'echo b >&2; kill -9 $$', 'cat']
    const [first, second, third] = await Promise.all(
      commands.map(async (command) => await run(command, { stdin: 'in' })),
    )
    expect(first).toMatchObject({ stdout: 'a\n', stderr: '', exit_code: 3 })
    expect(second).toMatchObject({ stdout: '', stderr: 'b\n', exit_code: 137 })
    expect(third).toMatchObject({ stdout: 'in', exit_code: 0 })
  })

  it('passes large input and output unchanged', async () => {
    const { shell } = await createSession()
    const stdin = 'line of input\n'.repeat(100_000)
    expect((await shell('tee /tmp/copy | wc -c; md5sum < /tmp/copy', { stdin })).output).toContain(
      '1400000\n',
    )
  })

  it('reports a program and a folder that do not exist', async () => {
    const { shell } = await createSession()
    expect((await shell('no-such-program')).exit_code).toBe(127)
  })

  it('ends at its timeout with its own processes, and leaves those of others', async () => {
    const [own, other] = [createMark(), createMark()]
    const { run, shell } = await createSession()
    await shell(`(exec -a ${other} sleep 600) & true`)
    const command = `(exec -a ${own} sleep 600) & setsid bash -c 'exec -a ${own} sleep 600' & sleep 600`
    expect(await run(command, { timeout: 1 })).toMatchObject({ timed_out: true, exit_code: -1 })
    expect([countAlive(own), countAlive(other)]).toEqual([0, 1])
  })

  it('is killed alone, even if it ignores signals', async () => {
    const [own, other] = [createMark(), createMark()]
    const { exec, shell, kill } = await createSession()
    await shell(`(exec -a ${other} sleep 600) & true`)
    const view = await exec(
      `trap "" TERM HUP; while true; do bash -c 'exec -a ${own} sleep 600'; done`,
      {
        yield_ms: 1,
      },
    )
    await expectAlive(own, 1)
    expect(await kill(view.session_id)).toMatchObject({ status: 'killed' })
    expect([countAlive(own), countAlive(other)]).toEqual([0, 1])
  })

  it('ends although a background process prints without end', async () => {
    const { shell } = await createSession()
    const ran = await shell('yes & yes >&2 & echo done')
    expect(ran).toMatchObject({ status: 'exited', exit_code: 0 })
    expect((await shell('echo next')).output).toBe('next\n')
  })

  it('prompts, reads input and has a terminal with a type and a size', async () => {
    const { exec, write } = await createSession()
    let view = await exec('tput cols; echo $TERM; stty size; read -p "name? " x; echo "<$x>"', {
      tty: true,
    })
    expect(view).toMatchObject({
      output: '120\nxterm-256color\n40 120\nname? ',
      interaction: { kind: 'prompt', hint: 'name?' },
    })
    view = await write(view.session_id, { chars: 'x', submit: true })
    expect(view.output).toContain('<x>')
    const own = await exec('echo $TERM', { tty: true, env: { TERM: 'vt100' } })
    expect(own.output).toBe('vt100\n')
  })

  it('reports a prompt that follows much output', async () => {
    const { exec } = await createSession()
    const view = await exec('seq 1 200000; printf "more? "; read x', { poll_lines: 20_000 })
    expect(view.interaction).toMatchObject({ needs_input: true })
  })

  it('keeps its own limit of output', async () => {
    const settings = { 'run.limits.output': '100KiB' }
    const { run, shell } = await createSession({ settings })
    await shell(`${SERVE} & true`)
    const ran = await run('yes | head -c 10000000; echo end > out/e; sleep 0.2; cat out/e >&2')
    expect(ran).toBeDefined()
    expect((await shell(FETCH)).output).toBe('hello\n')
  })

  it('has its own record, with its output redacted', async () => {
    const { runtime, run, call } = await createSession({
      files: { 'demo/skill.toml': SKILL_WITH_SECRET },
    })
    const secrets = new Map([['TOKEN', 'very-secret-value']])
    const ran = await runtime.skillRun(
      { session: 's', skill: 'demo', command: 'echo $TOKEN' },
      { ...call, grants: { secrets } },
    )
    expect(ran.stdout).not.toContain('very-secret-value')
    const next = await run('echo "<$TOKEN>"')
    expect(next.stdout).toBe('<>\n')
    const record = await (await runtime.runs()).get(next.run_id)
    expect(record).toMatchObject({ status: 'completed', isolation: { tier: 'strict' } })
  })
})

const SKILL_WITH_SECRET = `name = "demo"
version = "1.0.0"
description = "Demonstrates."

[permissions]
secrets = ["TOKEN"]
`

describe('a secret of one command', () => {
  /** Prints environments and memory of all processes that contain the text. */
  const SPY = `python3 -c '
import glob
found = 0
for path in glob.glob("/proc/[0-9]*/environ"):
    try: found += b"very-secret" in open(path, "rb").read()
    except OSError: pass
print("found", found)
'`

  async function createSecretSession() {
    const session = await createSession({ files: { 'demo/skill.toml': SKILL_WITH_SECRET } })
    const { runtime, call } = session
    const secrets = new Map([['TOKEN', 'very-secret-value']])
    const runWith = async (command: string) =>
      await runtime.skillRun(
        { session: 's', skill: 'demo', command },
        { ...call, grants: { secrets } },
      )
    return { ...session, runWith }
  }

  it('cannot be read by commands that do not have it', async () => {
    const mark = createMark()
    const { run, runWith } = await createSecretSession()
    await run('true')
    const { warnings } = await runWith(`(exec -a ${mark} sleep 600) & true`)
    expect(warnings?.join()).toMatch(/has the secret TOKEN.*another sandbox/)
    await expectAlive(mark, 1)
    expect((await run(SPY)).stdout).toBe('found 0\n')
    // Control: the process is alive, and commands with the same secret can read it.
    expect((await runWith(SPY)).stdout).toMatch(/found [1-9]/)
  })

  it('that has another value has another sandbox', async () => {
    const { runtime, call, runWith } = await createSecretSession()
    await runWith('touch /tmp/f')
    const secrets = new Map([['TOKEN', 'another-secret-value']])
    const ran = await runtime.skillRun(
      { session: 's', skill: 'demo', command: 'ls /tmp' },
      { ...call, grants: { secrets } },
    )
    expect(ran.stdout).toBe('')
    expect((await runWith('ls /tmp')).stdout).toBe('f\n')
  })
})
