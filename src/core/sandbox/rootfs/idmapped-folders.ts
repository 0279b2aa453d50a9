import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Interpreter } from '../backend.ts'
import { resolveHostPath } from '../../languages/host-path.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import type { StagedFiles } from './stage-files.ts'

const PROBE_MS = 20_000

/** A folder that a run's user shall own where it is mounted, whoever owns it on the host. */
export interface IdmappedFolder {
  source: string
  /** Where it lies for bwrap. */
  place: string
  user: number
  /** Where what is written goes instead, and what shows both. */
  overlay: { room: string; top: string; user: number; bytes: number } | null
}

/** Disks of which the kernel can show files as another user's; each is asked once. */
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
    // One that could not be tried says nothing of the disk.
    answer.catch(() => this.#supportByDevice.delete(dev))
    return await answer
  }
}

/** Part of a start of a guest, which loads nothing more for it. */
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

/** What is put before bwrap's own words, where there is anything to be done. */
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

/** Makes the empty folders that it is mounted on. */
export function createMountPoints(
  at: number,
  { source, isOverlay }: { source: string; isOverlay: boolean },
  own: { staged: StagedFiles; user: number; bytes: number },
): IdmappedFolder {
  const folder = (name: string) => {
    const path = join(own.staged.dir, `${name}-${at}`)
    mkdirSync(path, { mode: 0o700 })
    return path
  }
  const { user, bytes } = own
  const place = folder('given')
  if (!isOverlay) return { source, place, user, overlay: null }
  return { source, place, user, overlay: { room: folder('room'), top: folder('top'), user, bytes } }
}
