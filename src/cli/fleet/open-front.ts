import type { LoadedConfig } from '../../core/config/load-config.ts'
import { openFront, type Front } from '../../fleet/front/open-front.ts'
import { openFleetTokens, type FleetTokens } from '../../fleet/access/fleet-tokens.ts'
import { hasSeveralTokens, type TokenBook } from '../../server/auth/tokens.ts'
import type { RequestLog } from '../../server/telemetry/request-log.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'
import { openNode } from './open-node.ts'

export interface FleetFront extends Front {
  origins: LoadedConfig
  /** Tokens of the fleet; undefined if the command line has tokens, or requires none. */
  tokens: FleetTokens | undefined
}

/** Opens the front of `skills serve --fleet`. */
export async function openFleetFront(
  context: Context,
  call: CommandLine,
  { loaded, tokens, log }: { loaded: LoadedConfig; tokens: TokenBook | undefined; log: RequestLog },
): Promise<FleetFront> {
  const { engine, identity, origins } = await openNode(context, call, {
    loaded,
    directory: 'cache',
  })
  const usesOwn = tokens !== undefined || call.options['auth'] === false
  try {
    const fleetTokens = usesOwn ? undefined : await openFleetTokens(engine)
    const front = await openFront({
      engine,
      identity,
      config: origins.config,
      build: VERSION,
      hasSeveralCallers: hasSeveralTokens(tokens ?? fleetTokens?.load()),
      onProblem: ({ name, version, reason }) =>
        log.write('warn', `The skill ${name}@${version} of the fleet is not used`, { reason }),
      onWarning: (message) => log.write('warn', message),
      onKeeperProblem: (title, error) =>
        log.write('warn', `${title} failed, and is tried again`, { reason: String(error) }),
    })
    return {
      ...front,
      origins,
      tokens: fleetTokens,
      async close() {
        fleetTokens?.close()
        await front.close()
      },
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}
