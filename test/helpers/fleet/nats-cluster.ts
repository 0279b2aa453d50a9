import { execFileSync } from 'node:child_process'
import { compareSemver } from '../../../src/util/semver.ts'
import { findFreePort, startNatsServer, type TestServer } from './nats-server.ts'

/** nats-server for clusters, as that of some systems is too old for them. */
const PROGRAM = process.env['SKILLS_TEST_CLUSTER_SERVER'] ?? 'nats-server'
const OLDEST = '2.10.23'

/** Servers on loopback that replicate their streams. */
export interface TestCluster {
  /** Addresses of all servers. */
  readonly url: string
  readonly members: readonly TestServer[]
}

/** The reason why this machine cannot run a cluster; undefined if it can. */
export function explainMissingCluster(): string | undefined {
  try {
    const printed = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' })
    const version = /v(\d\S+)/.exec(printed)?.[1] ?? '0.0.0'
    if (compareSemver(version, OLDEST) >= 0) return undefined
    return `clusters need nats-server ${OLDEST}, and this is ${version}; SKILLS_TEST_CLUSTER_SERVER can name another one`
  } catch {
    return `${PROGRAM} does not start`
  }
}

export async function startNatsCluster(size = 3): Promise<TestCluster> {
  const ports = await Promise.all(Array.from({ length: size }, findFreePort))
  const routes = ports.map((port) => `"nats-route://127.0.0.1:${port}"`).join(', ')
  const members = await Promise.all(
    ports.map(async (port, at) => {
      const cluster = `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`
      const config = `server_name: "n${at + 1}"\n${cluster}`
      return await startNatsServer(config, { program: PROGRAM })
    }),
  )
  return { url: members.map(({ url }) => url).join(','), members }
}
