import { join } from 'node:path'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import { SkillsError } from '../../errors.ts'
import { checkAssets } from '../../fleet/engine/assets-version.ts'
import type { NatsEngine } from '../../fleet/engine/open-engine.ts'
import { createIdentity, type NodeIdentity } from '../../fleet/node/identity.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { explainEngineError } from './engine-problems.ts'
import { openFleetEngine } from './open-fleet.ts'

export interface OpenNode {
  engine: NatsEngine
  identity: NodeIdentity
  origins: LoadedConfig
}

const NAME = /^[a-z0-9-]{1,32}$/

/**
 * Connects a node to its fleet, with the reads that the permissions of nodes allow. Its data directory is a
 * folder of its own: the skills of the fleet are not mixed with those of this machine.
 */
export async function openNode(
  context: Context,
  call: CommandLine,
  { loaded, directory }: { loaded: LoadedConfig; directory: 'data' | 'cache' },
): Promise<OpenNode> {
  const name = getTextOption(call, 'name') ?? loaded.config.fleet.name
  if (!NAME.test(name)) {
    throw new SkillsError(
      'usage/invalid',
      `Expected 1 to 32 lowercase letters, digits and hyphens for --name, got "${name}"`,
    )
  }
  const fleet = await openFleetEngine(context, call, 'requests')
  try {
    await checkAssets(fleet.engine)
  } catch (thrown) {
    await fleet.engine.close()
    throw explainEngineError(fleet, thrown)
  }
  const { config } = loaded
  const { tenant } = config.fleet
  const data = join(config.directories[directory], 'fleet', tenant, name)
  const directories = { ...config.directories, data }
  return {
    engine: fleet.engine,
    identity: createIdentity(name),
    origins: { ...loaded, config: { ...config, directories } },
  }
}
