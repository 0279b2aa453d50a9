import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Interpreter } from '../backend.ts'
import { resolveHostPath } from '../../languages/host-path.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import type { StagedFiles } from './stage-files.ts'

const PROBE_MS = 20_000

/** A host folder that is mounted so that the run's user owns its files (idmapped mount). */
export interface IdmappedFolder {
  source: string
  /** Mount point from which bwrap binds it. */
  place: string
  user: number
  /** Upper layer and merged mount of an overlay. */
  overlay: { room: string; top: string; user: number; bytes: number } | null
}

/** Caches, per device, whether its filesystem supports idmapped mounts. */
export class IdmapSupport {
  #supportByDevice = new Map<number, Promise<boolean>>()

  async isSupported(
    source: string,
    staged: StagedFiles,
    interpreter: Interpreter,
  ): Promise<boolean> {
    const { dev } = lstatSync(source)
    const answer = this.#supportByDevice.get(dev) ?? probeIdmap(source, staged, interpreter)
    this.#supportByDevice.set(dev, answer)
    // A failed probe says nothing about the device.
    answer.catch(() => this.#supportByDevice.delete(dev))
    return await answer
  }
}

/** Runs during a start, so it uses modules that are loaded already. */
async function probeIdmap(
  source: string,
  staged: StagedFiles,
  interpreter: Interpreter,
): Promise<boolean> {
  const place = join(staged.dir, `probe-${lstatSync(source).dev}`)
  mkdirSync(place, { mode: 0o700 })
  const probe = { source, place, user: 1_879_048_192, overlay: null }
  const command = buildIdmapCommand([probe], staged, interpreter)
  const child = spawnGuest(command, { env: {}, stdio: 'ignore', timeout: PROBE_MS })
  return await new Promise((resolve) => {
    child.once('exit', (status) => resolve(status === 0))
    child.once('error', () => resolve(false))
  })
}

/** Builds the command that precedes bwrap; empty if there is nothing to mount. */
export function buildIdmapCommand(
  folders: readonly IdmappedFolder[],
  staged: StagedFiles,
  interpreter: Interpreter,
): string[] {
  if (folders.length === 0) return []
  const list = join(staged.dir, 'folders.json')
  writeFileSync(list, JSON.stringify(folders), { mode: 0o600 })
  const python = resolveHostPath(interpreter, interpreter.executable)
  return [python, ...PYTHON_FLAGS, join(staged.guest, 'give_folders.py'), list]
}

/** Creates the empty mount points of a folder. */
export function createMountPoints(
  index: number,
  { source, isOverlay }: { source: string; isOverlay: boolean },
  context: { staged: StagedFiles; user: number; bytes: number },
): IdmappedFolder {
  const folder = (name: string) => {
    const path = join(context.staged.dir, `${name}-${index}`)
    mkdirSync(path, { mode: 0o700 })
    return path
  }
  const { user, bytes } = context
  const place = folder('given')
  if (!isOverlay) return { source, place, user, overlay: null }
  return { source, place, user, overlay: { room: folder('room'), top: folder('top'), user, bytes } }
}
