// @module-tag readable-clone
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { PROGRAM } from '../../../helpers/built.ts'
import { createFolder } from '../../../helpers/skills.ts'

// skills doctor compiles a program of each installed language.
vi.setConfig({ testTimeout: 300_000 })

/** Starts a program as an ordinary user whose number of user namespaces is limited. */
const LIMITED = `import ctypes, os, sys
libc = ctypes.CDLL(None)
user, limit, program = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    libc.prctl(4, 1, 0, 0, 0)
user, group = os.getuid(), os.getgid()
if libc.unshare(0x10000000) != 0:
    raise OSError("no user namespace")
for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (user, user)), ("gid_map", "%d %d 1" % (group, group))):
    with open("/proc/self/" + name, "w") as file:
        file.write(text)
with open("/proc/sys/user/max_user_namespaces", "w") as file:
    file.write(limit)
os.execv(program[0], program)
`

function run(limit: number, argv: readonly string[]) {
  const home = createFolder()
  chmodSync(home, 0o777)
  const env = { HOME: home, PATH: '/usr/bin:/bin', TMPDIR: home }
  const command = ['-c', LIMITED, '65534', String(limit), ...PROGRAM, ...argv]
  return spawnSync('/usr/bin/python3', command, { cwd: home, env, encoding: 'utf8' })
}

const BACKENDS = ['namespaces', ...(existsSync('/usr/bin/bwrap') ? ['bubblewrap'] : [])]

const CODE = ['run-code', '--code', 'def main(args):\n    return "done"']

describe('a system that denies namespaces', () => {
  it('is named with the command that allows them, and with the alternatives', () => {
    for (const backend of BACKENDS) {
      const { status, stdout, stderr } = run(0, [...CODE, '--backend', backend])
      expect([status, stdout], stderr).toEqual([3, ''])
      expect(stderr).toMatch(
        /^error This system does not let this user create namespaces \(.+\), which isolate runs$/m,
      )
      expect(stderr).toContain('sudo sysctl -w user.max_user_namespaces=15000')
      expect(stderr).toContain('--backend container (')
      expect(stderr).toContain('--backend process (no isolation')
    }
  })

  it('is reported once by the doctor', { tags: ['slow'] }, () => {
    const { stdout } = run(0, ['doctor', '--json'])
    const { checks } = JSON.parse(stdout) as { checks: { id: string; ok: boolean | null }[] }
    expect(checks.filter(({ ok }) => ok === false).map(({ id }) => id)).toEqual(['sandbox'])
    expect(checks.filter(({ ok }) => ok === null).length).toBeGreaterThan(5)
  })

  it('would run the code with one more namespace', () => {
    expect(run(15_000, CODE)).toMatchObject({ status: 0, stdout: '"done"\n' })
  })
})
