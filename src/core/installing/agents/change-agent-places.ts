import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { syncFolder } from '../../../util/durable-file.ts'
import { copyLinksAsLinks } from '../../../util/files/copy-links-as-links.ts'
import { createOwnName } from '../../../util/leftovers.ts'
import type { InstallPlaces } from '../install-places.ts'
import { formatLockFile, parseLockFile, type LockedSkill } from '../lock-file.ts'
import { checkAgentPlace, digestPlace, listAgentPlaces, type AgentPlace } from './agent-place.ts'

/** The lock entry of a folder before and after a change; undefined if there is none. */
export interface EntryChange {
  before: LockedSkill | undefined
  after: LockedSkill | undefined
}

/** Refuses a change whose result would replace files that were not installed. */
export async function checkAgentPlaces(
  places: InstallPlaces,
  { before, after }: EntryChange,
): Promise<void> {
  const replaced = listAgentPlaces(places, before)
  for (const place of listAgentPlaces(places, after)) {
    if (after === undefined || (await checkAgentPlace(place, after.tree)) !== 'changed') continue
    const old = replaced.find(({ path }) => path === place.path)
    if (before && old && (await checkAgentPlace(old, before.tree)) !== 'changed') continue
    throw new SkillsError(
      'skill/exists',
      `"${place.path}" exists, and is not what was installed for ${place.agent}`,
      { hint: 'Move it away, and type the command again' },
    )
  }
  for (const { mode, folder, path } of listAgentPlaces(places, after)) {
    if (mode === 'link' || findDevice(folder) === findDevice(places.work)) continue
    throw new SkillsError('usage/invalid', `"${path}" is on another disk than ${places.work}`, {
      hint: 'Omit --copy: links work across disks',
    })
  }
}

function findDevice(path: string): number {
  return existsSync(path) ? statSync(path).dev : findDevice(dirname(path))
}

const ENTRIES = 'entries.json'
/** Folder of copies that were moved away. */
const COPIES = 'copies'
const MAX_ENTRIES_BYTES = 8 * 1024 ** 2

/** Records a change in its journal, so that another process can undo or repeat it. */
export function recordEntries(journal: string, { before, after }: EntryChange): void {
  const [from, to] = [before, after].map((each) => formatLockFile(each ? [each] : []))
  writeFileSync(join(journal, ENTRIES), JSON.stringify([from, to]), { flag: 'wx', flush: true })
}

/** The recorded entries; none if the process was killed while it recorded them, before all changes. */
export function readJournalEntries(journal: string): LockedSkill[] {
  const file = join(journal, ENTRIES)
  if (!existsSync(file)) return []
  try {
    const texts = JSON.parse(readUpTo(file, MAX_ENTRIES_BYTES)?.toString() ?? '') as string[]
    return texts.flatMap((text) => parseLockFile(text, file))
  } catch {
    return []
  }
}

/**
 * Makes the places of agents those of a lock entry. It may be repeated: what a killed process left is
 * completed, or undone if the lock has the entry from before. Other files at a place are kept.
 */
export async function applyAgentPlaces(
  places: InstallPlaces,
  journal: string,
  entry: LockedSkill | undefined,
): Promise<void> {
  const entries = [...readJournalEntries(journal), ...(entry ? [entry] : [])]
  const wanted = listAgentPlaces(places, entry)
  const removed = entries
    .flatMap((each) => listAgentPlaces(places, each))
    .filter(({ path }) => wanted.every((place) => place.path !== path))
  for (const place of removed) await clearPlace(place, entries, journal)
  for (const place of wanted) {
    if (entry === undefined || (await checkAgentPlace(place, entry.tree)) === 'unchanged') continue
    const isClear = await clearPlace(place, entries, journal)
    if (isClear) await fillPlace(places, place, { entry, journal })
  }
}

/** Moves what was installed at a place into the journal. False if other files are there. */
async function clearPlace(
  { agent, path, target }: AgentPlace,
  entries: readonly LockedSkill[],
  journal: string,
): Promise<boolean> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return true
  if (stat.isSymbolicLink()) {
    const state = await checkAgentPlace({ agent, path, target, mode: 'link', folder: '' }, '')
    if (state === 'unchanged') unlinkSync(path)
    return state === 'unchanged'
  }
  const tree = await digestPlace(path)
  if (entries.every((entry) => entry.tree !== tree)) return false
  mkdirSync(join(journal, COPIES), { recursive: true })
  renameSync(path, join(journal, COPIES, createOwnName()))
  return true
}

async function fillPlace(
  places: InstallPlaces,
  { mode, folder, path, target }: AgentPlace,
  { entry, journal }: { entry: LockedSkill; journal: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  if (mode === 'link') symlinkSync(target, path)
  else {
    const copy =
      (await findMovedCopy(journal, entry.tree)) ?? (await createCopy(places, entry, journal))
    if (copy === undefined) return
    renameSync(copy, path)
  }
  await syncFolder(folder)
}

/** A copy that this change moved away: undoing needs no space on a full disk. */
async function findMovedCopy(journal: string, tree: string): Promise<string | undefined> {
  const copies = join(journal, COPIES)
  for (const name of existsSync(copies) ? readdirSync(copies) : []) {
    if ((await digestPlace(join(copies, name))) === tree) return join(copies, name)
  }
  return undefined
}

/** Undefined for changed files, whose copy would be neither the old nor the new state. */
async function createCopy(
  places: InstallPlaces,
  entry: LockedSkill,
  journal: string,
): Promise<string | undefined> {
  const installed = join(places.skills, entry.folder)
  if ((await digestPlace(installed)) !== entry.tree) return undefined
  const copy = join(journal, createOwnName())
  copyLinksAsLinks(installed, copy)
  return copy
}
