import type { LoadedConfig } from '../../core/config/load-config.ts'
import { openFront, type Front } from '../../fleet/front/open-front.ts'
import { hasSeveralTokens, type TokenBook } from '../../server/auth/tokens.ts'
import type { RequestLog } from '../../server/telemetry/request-log.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'
import { openNode } from './open-node.ts'

export interface FleetFront extends Front {
  origins: LoadedConfig
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
  try {
    const front = await openFront({
      engine,
      identity,
      config: origins.config,
      build: VERSION,
      hasSeveralCallers: hasSeveralTokens(tokens),
      onProblem: ({ name, version, reason }) =>
        log.write('warn', `The skill ${name}@${version} of the fleet is not used`, { reason }),
      onKeeperProblem: (title, error) =>
        log.write('warn', `${title} failed, and is tried again`, { reason: String(error) }),
    })
    return { ...front, origins }
  } catch (error) {
    await engine.close()
    throw error
  }
}
