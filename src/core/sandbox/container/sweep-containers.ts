import { isLeftBehind } from '../owner.ts'
import { runEngine, type ContainerEngine } from './engine.ts'

/** Marks our containers. */
export const RUN_LABEL = 'skills.run'

/** Removes containers whose owner process is gone. */
export async function sweepContainers(engine: ContainerEngine): Promise<void> {
  const list = [
    'ps',
    '--all',
    '--filter',
    `label=${RUN_LABEL}`,
    '--format',
    '{{.Names}}\t{{.CreatedAt}}',
  ]
  const { stdout } = await runEngine(engine, list)
  const left = stdout.split('\n').flatMap((line) => {
    const [name = '', createdAt = ''] = line.split('\t')
    return isLeftBehind(name.replace(/^skills\./, ''), parseAge(createdAt)) ? [name] : []
  })
  if (left.length > 0) await removeContainers(engine, left)
}

/**
 * Parses `2026-11-21 10:20:30 +0000 UTC`, with optional fractions of a second. The age is 0 if it
 * cannot be parsed, so that the container is kept.
 */
function parseAge(createdAt: string): number {
  const [day = '', time = '', zone = ''] = createdAt.split(' ')
  const created = Date.parse(`${day}T${time.slice(0, 8)}${zone.replace(/(?=..$)/, ':')}`)
  return Number.isNaN(created) ? 0 : Date.now() - created
}

/** Kills and removes containers. Resolves when none of their processes is left. */
export async function removeContainers(
  engine: ContainerEngine,
  names: readonly string[],
): Promise<void> {
  // One command per container: podman stops at the first one that is gone already.
  await Promise.all(names.map(async (name) => await runEngine(engine, ['rm', '-f', '-v', name])))
}
