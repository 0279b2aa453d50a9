import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient, type SkillsClient } from '../../../src/client/index.ts'
import { startNatsServer } from '../../helpers/fleet/nats-server.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { startServe, type Served } from '../../helpers/served.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { BIN } from '../../helpers/built.ts'

const TOKENS = `alice-token-0123456789 alice
mallory-token-0123456789 mallory
`

export interface ServedFront {
  served: Served
  alice: SkillsClient
  mallory: SkillsClient
}

/** An engine whose fronts and workers are processes of `skills`, on one machine. */
export interface ServedFleet {
  /** Folder of all processes. */
  cwd: string
  /** Runs a command of `skills fleet`, and returns its document. */
  fleet(...argv: string[]): Promise<Record<string, unknown>>
  startFront(name: string): Promise<ServedFront>
  startWorker(name: string): Promise<ChildProcess>
  readEngineLog(): string
}

/** Keys of the nodes of a fleet, and of the operator, which is named "operator". */
export interface FleetKeys {
  /** Part of the configuration of the engine. */
  accounts: string
  readSeed(name: string): Uint8Array
}

export async function startServedFleet(
  env: Record<string, string> = {},
  keys?: FleetKeys,
): Promise<ServedFleet> {
  const server = await startNatsServer(keys?.accounts)
  onTestFinished(async () => await server.close())
  const cwd = createFolder({ 'tokens.txt': TOKENS })
  const key = join(cwd, 'fleet.key')
  writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 })
  const all = { SKILLS_FLEET_SERVERS: server.url, SKILLS_FLEET_KEY: key, ...env }
  const getEnv = (name: string): Record<string, string> => {
    if (!keys) return all
    const seed = join(cwd, `${name}.seed`)
    writeFileSync(seed, keys.readSeed(name), { mode: 0o600 })
    return { ...all, SKILLS_FLEET_SEED: seed }
  }
  const fleet = async (...argv: string[]) => {
    const at = { cwd, env: getEnv('operator') }
    const { stdout } = await runSkills(['fleet', ...argv, '--json'], at)
    return JSON.parse(stdout) as Record<string, unknown>
  }
  await fleet('init')
  return {
    cwd,
    fleet,
    readEngineLog: () => readFileSync(join(server.dir, 'nats.log'), 'utf8'),
    async startFront(name) {
      const argv = ['--fleet', server.url, '--name', name, '--token-file', join(cwd, 'tokens.txt')]
      const served = await startServe(argv, { cwd, env: getEnv(name) })
      const connect = (caller: string) =>
        createClient({ url: served.url, token: `${caller}-token-0123456789` })
      return { served, alice: connect('alice'), mallory: connect('mallory') }
    },
    startWorker: async (name) =>
      await startReady(
        ['worker', '--fleet', server.url, '--name', name, '--json'],
        cwd,
        getEnv(name),
      ),
  }
}

/** Starts a command, and waits for its first line of output. */
async function startReady(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd,
    env: { ...INHERITED_ENV, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`${argv[0]} ended with ${code}: ${stderr}`)))
  })
  return child
}
