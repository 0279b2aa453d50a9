import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Interpreter } from '../backend.ts'
import { resolveHostPath } from '../../languages/host-path.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import type { StagedFiles } from './stage-files.ts'

const PROBE_MS = 20_000
const PROBE_UID = 1_879_048_192

/**
 * A host folder that is mounted before the launcher: so that the run's user owns its files
 * (idmapped), as an overlay, or both.
 */
export interface IdmappedFolder {
  source: string
  /** Mount point from which the launcher binds it. */
  place: string
  /** User of the run; null for an overlay of the caller's own folder. */
  user: number | null
  /** Upper layer and merged mount of an overlay. */
  overlay: FolderOverlay | null
}

interface FolderOverlay {
  room: string
  top: string
  user: number | null
  bytes: number
  /** Additional lower layer of a probe. */
  probe: string | null
}

const PROBE_BYTES = 64 * 1024
/** Folder in the additional layer, which the guest replaces. */
const TRIED_FOLDER = '.skills-tried'

/** Caches, per device, which mounts its filesystem supports. */
export class IdmapSupport {
  #supportByDevice = new Map<string, Promise<boolean>>()

  /** True if root can mount it for the user of a run. */
  async isSupported(
    source: string,
    staged: StagedFiles,
    interpreter: Interpreter,
  ): Promise<boolean> {
    const folder = { source, place: '', user: PROBE_UID, overlay: null }
    return await this.#probe('idmap', { folder, staged, interpreter })
  }

  /** True if an ordinary user can mount it as an overlay that behaves as a copy would. */
  async supportsOverlay(
    source: string,
    staged: StagedFiles,
    interpreter: Interpreter,
  ): Promise<boolean> {
    const overlay = { room: '', top: '', user: null, bytes: PROBE_BYTES, probe: '' }
    const folder = { source, place: '', user: null, overlay }
    return await this.#probe('overlay', { folder, staged, interpreter })
  }

  async #probe(kind: 'idmap' | 'overlay', probe: Probe): Promise<boolean> {
    const device = `${kind} ${lstatSync(probe.folder.source).dev}`
    const answer = this.#supportByDevice.get(device) ?? tryToMount(probe)
    this.#supportByDevice.set(device, answer)
    // A failed probe says nothing about the device.
    answer.catch(() => this.#supportByDevice.delete(device))
    return await answer
  }
}

interface Probe {
  folder: IdmappedFolder
  staged: StagedFiles
  interpreter: Interpreter
}

/** Runs during a start, so it uses modules that are loaded already. */
async function tryToMount({ folder, staged, interpreter }: Probe): Promise<boolean> {
  const place = join(staged.dir, `probe-${lstatSync(folder.source).dev}`)
  const at = (name: string) => join(place, name)
  for (const path of [place, at('room'), at('top'), at('layer'), join(at('layer'), TRIED_FOLDER)])
    mkdirSync(path, { mode: 0o700 })
  const overlay = folder.overlay && {
    ...folder.overlay,
    room: at('room'),
    top: at('top'),
    probe: at('layer'),
  }
  const probe = { ...folder, place: at('layer'), overlay }
  const command = buildMountCommand({ folders: [probe] }, staged, interpreter)
  const child = spawnGuest(command, { env: {}, stdio: 'ignore', timeout: PROBE_MS })
  return await new Promise((resolve) => {
    child.once('exit', (status) => resolve(status === 0))
    child.once('error', () => resolve(false))
  })
}

/**
 * Builds the command that precedes a launcher and mounts idmapped folders, and views over `views`.
 * Empty if there is nothing to mount.
 */
export function buildMountCommand(
  { folders, views = [] }: { folders: readonly IdmappedFolder[]; views?: readonly string[] },
  staged: StagedFiles,
  interpreter: Interpreter,
): string[] {
  if (folders.length === 0 && views.length === 0) return []
  const list = join(staged.dir, 'folders.json')
  const empty = join(staged.dir, 'empty')
  mkdirSync(empty, { recursive: true })
  writeFileSync(list, JSON.stringify({ folders, views, empty }), { mode: 0o600 })
  const python = resolveHostPath(interpreter, interpreter.executable)
  return [python, ...PYTHON_FLAGS, join(staged.guest, 'give_folders.py'), list]
}

/** Creates the empty mount points of a folder. */
export function createMountPoints(
  index: number,
  { source, isOverlay }: { source: string; isOverlay: boolean },
  { staged, user, bytes }: { staged: StagedFiles; user: number | null; bytes: number },
): IdmappedFolder {
  const folder = (name: string) => {
    const path = join(staged.dir, `${name}-${index}`)
    mkdirSync(path, { mode: 0o700 })
    return path
  }
  const place = folder('given')
  if (!isOverlay) return { source, place, user, overlay: null }
  const overlay = { room: folder('room'), top: folder('top'), user, bytes, probe: null }
  return { source, place, user, overlay }
}
