import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startFailedError, backendUnusableError } from '../start-errors.ts'
import type { ContainerPlan } from './arguments.ts'
import { runEngine, type ContainerEngine } from './engine.ts'

/** An image with nothing in it, for engines that take no folder. */
const EMPTY_IMAGE = 'skills-empty:1'
/** A tar archive without files. */
const EMPTY_ARCHIVE = Buffer.alloc(1024)

/** What a container has as its root: the operator's image, or nothing but what is mounted. */
export async function resolveRoot(
  engine: ContainerEngine,
  image: string | undefined,
  dir: string,
): Promise<ContainerPlan['root']> {
  if (image !== undefined) {
    if (await hasImage(engine, image)) return { image }
    throw backendUnusableError(
      `${engine.name} has no image "${image}"`,
      `Type: ${engine.name} pull ${image}`,
    )
  }
  if (engine.name === 'podman') {
    const folder = join(dir, 'root')
    mkdirSync(folder, { mode: 0o755 })
    return { folder }
  }
  if (!(await hasImage(engine, EMPTY_IMAGE))) {
    const made = await runEngine(engine, ['import', '-', EMPTY_IMAGE], EMPTY_ARCHIVE)
    if (!made.ok) throw startFailedError(made.stderr.trim())
  }
  return { image: EMPTY_IMAGE }
}

async function hasImage(engine: ContainerEngine, image: string): Promise<boolean> {
  // It would be read as an option, here and where the container is started.
  if (image.startsWith('-')) return false
  return (await runEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', image])).ok
}
