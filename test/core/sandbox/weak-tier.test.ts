// @module-tag readable-clone
import { execFile } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import { PROGRAM } from '../../helpers/built.ts'

const isRoot = process.getuid?.() === 0

interface Answer {
  error?: { type?: string; code?: string; hint?: string; limit?: object }
  isolation?: { tier: string; user: number; limits: Record<string, string> }
}

/** Runs a skill through the command line as an ordinary user who cannot create control groups. */
async function runAsUser(
  code: string,
  env: Record<string, string> = {},
  isInstalled = false,
): Promise<Answer> {
  const dir = createFolder(
    prefixPaths('skill', { ...createActionSkill('demo.weak'), 'code/main.py': code }),
  )
  chmodSync(dir, 0o777)
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const options = { cwd: dir, env: { PATH: '/usr/bin:/bin', HOME: dir, TMPDIR: dir, ...env } }
  const start = async (...argv: string[]): Promise<Answer> => {
    const args = [...(isRoot ? user : []), ...PROGRAM, ...argv, '--json']
    return await new Promise((resolve) => {
      execFile('env', args, options, (_, stdout) => resolve(JSON.parse(stdout) as Answer))
    })
  }
  if (!isInstalled) return await start('exec', join(dir, 'skill'))
  await start('install', './skill', '--yes')
  return await start('exec', 'demo.weak')
}

describe('an ordinary user without control groups', () => {
  it('has a memory limit, and its result reports how far it is held', async () => {
    const code = 'def main(args):\n    x = []\n    while True: x.append(bytearray(10_000_000))\n'
    const { error, isolation } = await runAsUser(code, { SKILLS_RUN_LIMITS_MEMORY: '128MiB' })
    expect(error?.type).toBe('MemoryLimit')
    expect(isolation).toMatchObject({ tier: 'weak', user: 1000 })
    expect(isolation?.limits).toMatchObject({
      memory: 'runtime',
      processes: 'rlimit',
    })
  })

  it('learns by which file it can share memory', async () => {
    const { error } = await runAsUser('import mmap\ndef main(args):\n    mmap.mmap(-1, 4096)\n')
    expect(error).toMatchObject({
      type: 'PermissionError',
      hint: expect.stringContaining('/dev/shm') as string,
    })
  })

  it('may share memory between processes, which is counted once', { tags: ['slow'] }, async () => {
    const code = `import os, time
def main(args):
    data = bytearray(b"x") * (60 << 20)
    for _ in range(5):
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
    return [os.wait()[1] for _ in range(5)]
`
    const answer = await runAsUser(code, { SKILLS_RUN_LIMITS_MEMORY: '128MiB' })
    expect(answer.error).toBeUndefined()
  })

  it('may map a file in memory, which is counted once', { tags: ['slow'] }, async () => {
    const code = `import mmap, time
def main(args):
    with open("/workspace/x", "w+b") as file:
        file.truncate(80 << 20)
        page = mmap.mmap(file.fileno(), 80 << 20)
    for at in range(0, len(page), 4096): page[at] = 1
    time.sleep(1)
`
    const answer = await runAsUser(code, { SKILLS_RUN_LIMITS_MEMORY: '128MiB' })
    expect(answer.error).toBeUndefined()
  })

  it('has a process limit', { tags: ['slow'] }, async () => {
    const code = 'import os\ndef main(args):\n    while True: os.fork()\n'
    expect((await runAsUser(code)).error).toMatchObject({
      type: 'ProcessLimit',
      limit: { name: 'processes', value: 256 },
    })
  })

  it(
    'has a limit of processor time, even if it ignores the signal',
    { tags: ['slow'] },
    async () => {
      const ignore = 'signal.signal(signal.SIGXCPU, signal.SIG_IGN)'
      const code = `import signal\ndef main(args):\n    ${ignore}\n    while True: pass\n`
      const { error } = await runAsUser(code, { SKILLS_RUN_LIMITS_CPU_TIME: '1s' })
      expect(error).toMatchObject({ type: 'CpuLimit', limit: { name: 'cpu', value: 1000 } })
    },
  )

  it('has its files counted', { tags: ['slow'] }, async () => {
    const code = 'def main(args):\n    for n in range(10**7): open("/tmp/%d" % n, "w").close()\n'
    const { error } = await runAsUser(code, { SKILLS_RUN_LIMITS_WORKSPACE: '4MiB' })
    expect(error).toMatchObject({ type: 'DiskLimit', limit: { name: 'inodes', value: 1024 } })
  })

  it('runs only own skills if those of strangers require strict isolation', async () => {
    const code = 'def main(args):\n    return 1\n'
    const env = { SKILLS_RUN_ISOLATION_STRANGERS: 'strict' }
    expect((await runAsUser(code, env)).error).toBeUndefined()
    expect((await runAsUser(code, env, true)).error).toMatchObject({
      code: 'sandbox/too-weak',
      hint: expect.stringContaining('skills doctor --fix') as string,
    })
  })

  it('is refused if strict isolation is required', async () => {
    const code = 'def main(args):\n    return 1\n'
    const { error } = await runAsUser(code, { SKILLS_RUN_REQUIRE_ISOLATION: 'strict' })
    expect(error?.code).toBe('sandbox/too-weak')
  })
})
