import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerSettings } from '../backend.ts'
import { startFailedError, backendUnusableError } from '../start-errors.ts'
import type { ContainerPlan } from './arguments.ts'
import { runEngine, type ContainerEngine } from './engine.ts'
import { findSilence } from './find-silence.ts'

/** An empty image, for engines that accept no root folder. */
const EMPTY_IMAGE = 'skills-empty:1'
/** A tar archive without entries. */
const EMPTY_ARCHIVE = Buffer.alloc(1024)

/** Brings the Python of runs where the host is not Linux: its own programs start in no container. */
const IMAGE_WITH_PYTHON = 'docker.io/library/python:3.13-slim'

/** Selects the image of runs; undefined to mount the host's programs. */
export function selectImage({ image }: ContainerSettings): string | undefined {
  return image ?? (process.platform === 'linux' ? undefined : IMAGE_WITH_PYTHON)
}

/** Resolves the root filesystem: the operator's image, or an empty one below the mounts. */
export async function resolveRoot(
  engine: ContainerEngine,
  image: string | undefined,
  dir: string,
): Promise<ContainerPlan['root']> {
  if (image !== undefined) {
    if (await hasImage(engine, image)) return { image }
    const silence = await findSilence(engine)
    if (silence) {
      throw backendUnusableError(`A container cannot be started: ${silence.detail}`, silence.fix)
    }
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
    const imported = await runEngine(engine, ['import', '-', EMPTY_IMAGE], EMPTY_ARCHIVE)
    if (!imported.ok) throw startFailedError(imported.stderr.trim())
  }
  return { image: EMPTY_IMAGE }
}

async function hasImage(engine: ContainerEngine, image: string): Promise<boolean> {
  // It would be parsed as an option, here and when the container is started.
  if (image.startsWith('-')) return false
  return (await runEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', image])).ok
}
