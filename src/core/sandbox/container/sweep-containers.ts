import { isLeftBehind } from '../owner.ts'
import { runEngine, type ContainerEngine } from './engine.ts'

/** Marks containers of ours. */
export const RUN_LABEL = 'skills.run'

/** Removes containers whose process is gone. */
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

/** Written as `2026-11-21 10:20:30 +0000 UTC`, perhaps with parts of a second; what is not is new. */
function parseAge(createdAt: string): number {
  const [day = '', time = '', zone = ''] = createdAt.split(' ')
  const made = Date.parse(`${day}T${time.slice(0, 8)}${zone.replace(/(?=..$)/, ':')}`)
  return Number.isNaN(made) ? 0 : Date.now() - made
}

/** Ends and removes containers; resolves when none of their processes is left. */
export async function removeContainers(
  engine: ContainerEngine,
  names: readonly string[],
): Promise<void> {
  // One that is gone meanwhile would keep podman from removing those named after it.
  await Promise.all(names.map(async (name) => await runEngine(engine, ['rm', '-f', '-v', name])))
}
