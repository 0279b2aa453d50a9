import { isOwnerGone } from '../owner.ts'
import { ask, type Engine } from './engine.ts'

/** Marks containers of ours. */
export const LABEL = 'skills.run'

const swept = new Set<string>()

/** Removes containers whose process is gone: once for each engine, since asking takes a while. */
export async function sweepContainers(engine: Engine): Promise<void> {
  if (swept.has(engine.name)) return
  swept.add(engine.name)
  const list = ['ps', '--all', '--filter', `label=${LABEL}`, '--format', '{{.Names}}']
  const { stdout } = await ask(engine, list)
  const left = stdout.split('\n').filter((name) => isOwnerGone(name))
  if (left.length > 0) await removeContainers(engine, left)
}

/** Ends and removes containers; resolves when none of their processes is left. */
export async function removeContainers(engine: Engine, names: readonly string[]): Promise<void> {
  await ask(engine, ['rm', '--force', '--volumes', ...names])
}
