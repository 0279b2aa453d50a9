// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { bootMachine } from './boot-machine.ts'
import { findMachine, type Machine } from './find-machine.ts'

const MACHINE = findMachine()
const PACKAGES = 'qemu-system-x86, linux-image-amd64 and busybox-static'
const why = MACHINE ? '' : ` (not run: needs the packages ${PACKAGES})`
const whyNoProfile = MACHINE?.apparmorParser ? '' : ' (not run: needs the package apparmor)'

/** Runs the same code as root, as a user, and where users may create no namespaces. */
function renderSteps({ apparmorParser, apparmorFiles }: Machine): string {
  const skills = `${process.execPath} ${process.cwd()}/bin/skills.js`
  const code = `run-code --json --code 'def main(args): return 1'`
  const user =
    'setpriv --reuid 65534 --regid 65534 --clear-groups env -i HOME=/own TMPDIR=/own PATH=$PATH'
  const profile = `abi <abi/3.0>,
profile restricted /usr{,/local}/bin/python3* flags=(attach_disconnected) {
  file, network, unix, ptrace, signal,
  deny capability,
  deny mount,
}`
  return `export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mkdir -p /own && chown 65534 /own && cd /own
${skills} ${code} > $RESULTS/root
${user} ${skills} ${code} > $RESULTS/user
echo 0 > /proc/sys/kernel/unprivileged_userns_clone
${user} ${skills} ${code} > $RESULTS/denied
echo 1 > /proc/sys/kernel/unprivileged_userns_clone
cat > /own/profile <<END
${profile}
END
${apparmorParser ?? 'false'} -b ${apparmorFiles} -I ${apparmorFiles} -r --skip-cache /own/profile &&
  ${user} ${skills} ${code} > $RESULTS/apparmor`
}

describe.skipIf(!MACHINE)(`a machine with a kernel of Debian${why}`, () => {
  let results: Readonly<Record<string, Record<string, unknown>>>
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-machine-'))
    const machine = MACHINE as Machine
    const files = await bootMachine(machine, dir, renderSteps(machine))
    rmSync(dir, { recursive: true, force: true })
    results = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, JSON.parse(text) as object]),
    ) as typeof results
  }, 1_000_000)

  it('isolates a run of root strictly, with control groups of version 2', () => {
    expect(results['root']).toMatchObject({
      status: 'completed',
      isolation: { tier: 'strict', limits: { memory: 'cgroup2', processes: 'cgroup2' } },
    })
  })

  it('reports the weaker limits of a user without a delegated group', () => {
    expect(results['user']).toMatchObject({
      status: 'completed',
      isolation: { tier: 'weak', user: 1000, limits: { memory: 'rlimit, each process' } },
    })
  })

  it('refuses runs of a user who may create no namespaces, and names the setting', () => {
    const hint: unknown = expect.stringContaining('kernel.unprivileged_userns_clone=1')
    expect(results['denied']).toMatchObject({ error: { code: 'sandbox/unavailable', hint } })
  })

  it.skipIf(!MACHINE?.apparmorParser)(
    `refuses runs where a profile of AppArmor takes the capabilities of namespaces away${whyNoProfile}`,
    () => {
      expect(results['apparmor']).toMatchObject({ error: { code: 'sandbox/unavailable' } })
    },
  )
})
