// @module-tag slow
import { describe, expect, it } from 'vitest'
import { createSession } from './in-workspace.ts'

const WORKSPACE = { 'run.limits.workspace': '16MiB' }
const START_SERVER = '(exec -a session-server sleep 600) & echo up > /tmp/f'
const SEE_SERVER =
  'cat /tmp/f; cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -o "session-server" | head -1'
const SERVER = 'up\nsession-server\n'
const fill = (name: string, megabytes: number) =>
  `head -c ${megabytes}M /dev/zero > /workspace/work/${name}`
/** Lets the runtime measure the workspace. */
const WAIT = 'sleep 1'

describe('a full workspace', () => {
  it('fails the write, and its command goes on', async () => {
    const { shell } = await createSession({ settings: WORKSPACE })
    await shell(START_SERVER)
    const ran = await shell(
      `${fill('a', 12)}; ${fill('b', 12)}; ${WAIT}; ${fill('c', 1)}; echo goes on`,
    )
    expect(ran.output).toContain('File too large')
    expect(ran.output).toMatch(/^goes on\n/)
    expect(ran.exit_code).toBe(0)
    expect(ran.warnings?.join()).toMatch(/workspace is full.*run\.limits\.workspace/)
    expect((await shell(SEE_SERVER)).output).toBe(SERVER)
  })

  it('lets commands read and remove, and then write again, also those in the background', async () => {
    const { shell } = await createSession({ settings: WORKSPACE })
    await shell(
      `${START_SERVER}; (until echo x > work/late; do sleep 0.1; done 2> /dev/null) & true`,
    )
    await shell('rm -f work/late')
    await shell(`${fill('a', 12)}; ${fill('b', 12)}; ${WAIT}`)
    const full = await shell(`${WAIT}; wc -c < work/a; echo x > work/c`)
    expect(full.output).toMatch(/^12582912\n.*File too large/)
    await shell(
      `(until echo late > work/late; do sleep 0.1; done 2> /dev/null) & rm work/a work/b; ${WAIT}`,
    )
    const after = await shell(`${fill('d', 1)} && cat work/late && ${SEE_SERVER}`)
    expect(after).toMatchObject({ output: `late\n${SERVER}`, exit_code: 0 })
    expect(after.warnings).toBeUndefined()
  })

  it('ends the sandbox of a program that raises its limit and writes on', async () => {
    const { shell } = await createSession({ settings: WORKSPACE })
    await shell(START_SERVER)
    await shell(`${fill('a', 12)}; ${fill('b', 12)}; ${WAIT}`)
    const attack = `python3 -c '
import os, resource, time
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for number in range(600):
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    try: open("/workspace/work/f%d" % number, "wb").write(bytes(1 << 20))
    except OSError: pass
    time.sleep(0.05)
'`
    const ran = await shell(attack)
    expect(ran.warnings?.join()).toContain('DiskLimit')
    const next = await shell('ls /workspace/work | grep -c "^f"; ls /tmp')
    expect(Number(next.output)).toBeLessThan(100)
    expect(next.warnings?.join()).toMatch(/sandbox is a new one.*run\.limits\.workspace/)
  })

  it('ends the sandbox of a program that creates files without end', async () => {
    const { shell } = await createSession({ settings: WORKSPACE })
    await shell(START_SERVER)
    const attack = `python3 -c '
import os
for number in range(1000000): os.mkdir("/workspace/work/%d" % number)
'`
    const ran = await shell(attack)
    expect(ran.warnings?.join()).toContain('DiskLimit')
  })
})

describe('the memory of a session', () => {
  const LIMIT = { 'run.limits.memory': '96MiB' }
  const use = (megabytes: number) =>
    `python3 -c 'x = b"x" * (${megabytes} << 20); print(len(x) >> 20)'`

  it('suffices for a command that needs more than a run beside a server', async () => {
    const { shell } = await createSession({ settings: LIMIT })
    await shell(START_SERVER)
    expect((await shell(use(120))).output).toBe('120\n')
  })

  it('ends only the largest process when it is used up, and names the setting', async () => {
    const { shell } = await createSession({ settings: LIMIT })
    await shell(START_SERVER)
    const ran = await shell(`${use(400)}; echo goes on`)
    expect(ran.output).toMatch(/^goes on\n/)
    expect(ran.warnings?.join()).toMatch(/more than 192 MiB of memory.*run\.limits\.memory/)
    expect((await shell(SEE_SERVER)).output).toBe(SERVER)
  })
})

it('a session without room for a process names the setting', async () => {
  const { shell } = await createSession({ settings: { 'run.limits.processes': 12 } })
  const ran = await shell('for n in $(seq 30); do sleep 5 & done 2> /dev/null; true')
  expect(ran.warnings?.join()).toContain('run.limits.processes')
})
