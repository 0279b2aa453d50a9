import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../core/config/config.ts'
import { SkillsError } from '../../errors.ts'
import type { ReadsBy } from '../../fleet/engine/message-reads.ts'
import type { NatsEngine } from '../../fleet/engine/open-engine.ts'
import { ENGINE_PATIENCE_MS } from '../../fleet/node/silence.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { explainEngineError } from './engine-problems.ts'
import { untilAborted } from './until-aborted.ts'

const CLOSE_MS = 1000

/** An open engine, which its user closes, and the configuration of the command line. */
export interface OpenFleet {
  engine: NatsEngine
  config: Config
  /** Addresses of the engine, separated by commas. */
  servers: string
}

/** Connects to the engine of `--fleet`, or else of the configuration. */
export async function openFleetEngine(
  context: Context,
  call: CommandLine,
  reads: ReadsBy = 'consumers',
): Promise<OpenFleet> {
  const { config } = await openConfig(context)
  const servers = readServers(call, config)
  const { openEngine } = await import('../../fleet/engine/open-engine.ts')
  const { name, tenant, seed, ca } = config.fleet
  const address = { servers, seedFile: seed, caFile: ca, patienceMs: ENGINE_PATIENCE_MS }
  const opening = openEngine({ ...address, name, tenant, reads })
  try {
    return { engine: await untilAborted(context.signal, opening), config, servers }
  } catch (thrown) {
    // An engine that is open only after Ctrl-C has no user.
    void opening.then((engine) => engine.close()).catch(() => {})
    throw thrown
  }
}

/** Opens the engine, calls `use`, and closes the engine: after the result, an error or Ctrl-C. */
export async function useFleetEngine<T>(
  context: Context,
  call: CommandLine,
  use: (fleet: OpenFleet) => Promise<T>,
): Promise<T> {
  const fleet = await openFleetEngine(context, call)
  try {
    return await untilAborted(context.signal, use(fleet))
  } catch (thrown) {
    throw explainEngineError(fleet, thrown)
  } finally {
    await closeEngine(fleet.engine)
  }
}

/** An engine that stopped a moment ago does not confirm the end of the connection. */
async function closeEngine(engine: NatsEngine): Promise<void> {
  const closed = new AbortController()
  const closeLate = async () => {
    await sleep(CLOSE_MS, undefined, { signal: closed.signal })
    await engine.connection.close()
  }
  await Promise.race([engine.close(), closeLate()])
  closed.abort()
}

function readServers(call: CommandLine, { fleet }: Config): string {
  const option = getTextOption(call, 'fleet')
  if (option === '') {
    throw new SkillsError(
      'usage/invalid',
      'Expected the address of an engine for --fleet, got ""',
      {
        hint: 'Write it as --fleet nats://127.0.0.1:4222',
      },
    )
  }
  const servers = option ?? fleet.servers
  if (servers) return servers
  throw new SkillsError('usage/invalid', 'No engine of a fleet is configured', {
    hint: 'Add --fleet nats://127.0.0.1:4222, or type "skills config set --global fleet.servers nats://127.0.0.1:4222"',
  })
}
