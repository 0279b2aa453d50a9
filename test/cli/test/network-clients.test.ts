// @module-tag slow
// @module-tag nightly
import { execFile } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { findProgram } from '../../../src/util/find-program.ts'
import { buildGoClient, NETWORK_CLIENTS } from '../../helpers/network-clients.ts'
import { createFolder } from '../../helpers/skills.ts'
import {
  createCommandSuite,
  createNetworkSkill,
  useRecordedServers,
  type Ran,
} from '../../helpers/recorded-servers.ts'
import { PROGRAM } from '../../helpers/built.ts'

const PATH = process.env['PATH'] ?? ''
const servers = useRecordedServers()
let go: Buffer | undefined
beforeAll(() => void (go = buildGoClient()), 300_000)

const { probe } = await new Sandboxes().openBackend('container')
const podman = { engine: 'podman', runtime: 'default', image: undefined } as const
const here = await probe({ PATH, HOME: process.env['HOME'] }, podman)
const noPodman = here.ok ? '' : ` (not run: ${here.detail})`

/** A skill with one case for each client that this machine has. */
function createClientSkill(settings: string): string {
  const clients = NETWORK_CLIENTS.filter(({ program }) => findProgram(program, PATH))
  expect(clients.length).toBeGreaterThan(8)
  const suite = clients.map(({ name, command, expected }) =>
    createCommandSuite(command, expected).replace('"runs"', JSON.stringify(name)),
  )
  const cwd = createNetworkSkill(
    servers,
    { 'tests/net.test.toml': suite.join('\n'), ...(go && { 'code/fetch': go }) },
    settings,
  )
  if (go) chmodSync(join(cwd, 'code/fetch'), 0o755)
  return cwd
}

/** Trusts the project and runs its tests, as an ordinary user. */
async function testAsUser(cwd: string, words: readonly string[]): Promise<Ran> {
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const [program, ...args] = [...(process.getuid?.() === 0 ? user : []), ...PROGRAM]
  const certificates = join(servers.folder, 'ca.pem')
  // Its temporary files must not change the skill.
  const home = createFolder()
  chmodSync(home, 0o777)
  const own = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home, SSL_CERT_FILE: certificates }
  const run = (...more: readonly string[]) =>
    new Promise<Ran>((resolve) => {
      const options = { cwd, env: own, maxBuffer: 10_000_000 }
      execFile(String(program), [...args, ...more], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr, all: stdout + stderr }),
      )
    })
  expect(await run('trust', 'project', '--yes')).toMatchObject({ code: 0 })
  return await run('test', ...words)
}

describe('a recording and its replay work with all clients', () => {
  it('in a sandbox', async () => {
    await servers.recordAndReplay(createClientSkill('[run]\nhost_packages = true\n\n'))
  }, 300_000)

  it.skipIf(noPodman !== '')(
    `in a container${noPodman}`,
    async () => {
      const settings =
        '[run]\nhost_packages = true\nbackend = "container"\n\n[run.container]\nengine = "podman"\n\n'
      await servers.recordAndReplay(createClientSkill(settings))
    },
    300_000,
  )

  it('of an ordinary user', async () => {
    const cwd = createClientSkill('[run]\nhost_packages = true\n\n')
    for (const each of [cwd, join(cwd, 'tests')]) chmodSync(each, 0o777)
    for (const each of [dirname(cwd), servers.folder]) chmodSync(each, 0o755)
    await servers.recordAndReplay(cwd, [], testAsUser)
  }, 300_000)
})
