import { SkillsError, toSkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { toHyphenatedName } from '../../packing/pack-skill.ts'
import { checkSkillFolder } from '../check-installed.ts'
import type { InstallCandidate } from '../installer/candidate.ts'
import { fetchCandidate } from '../installer/fetch-candidate.ts'
import { installCandidate } from '../installer/install-candidate.ts'
import type { Installer } from '../installer/installer.ts'
import { hasDrifted } from './foreign-hash.ts'
import type { ForeignEntry } from './foreign-lock.ts'
import { mapEntry } from './map-entry.ts'

/** The result of one entry. */
export interface ImportedSkill {
  /** Name in the lock of the other tool. */
  name: string
  status: 'installed' | 'current' | 'available' | 'pending' | 'failed' | 'unmapped'
  source: string | null
  version: string | null
  tree: string | null
  /** True if the files are not those that the entry describes; null if this is not known. */
  drift: boolean | null
  /** True if the folder was there already, with the files of the source. */
  adopted: boolean
  error?: { code: string | null; message: string; hint: string | null }
  /** Exit status of this entry. */
  exit: number
}

interface ImportRequest {
  /** Folder of the lock, to which its paths are relative. */
  folder: string
  entry: ForeignEntry
  /** True to compare only. */
  isDryRun: boolean
}

/** An entry without a source is work that was not done. */
const UNMAPPED_EXIT = 3

/** Installs the skill of one entry as `skills install` does. An entry is never a consent. */
export async function importEntry(
  installer: Installer,
  { folder, entry, isDryRun }: ImportRequest,
): Promise<ImportedSkill> {
  const { name } = entry
  const nothing = { name, source: null, version: null, tree: null, drift: null, adopted: false }
  const mapped = mapEntry(entry, folder)
  if ('problem' in mapped) {
    const error = { code: null, message: mapped.problem, hint: null }
    return { ...nothing, status: 'unmapped', error, exit: UNMAPPED_EXIT }
  }
  let known: Omit<ImportedSkill, 'status' | 'exit'> = { ...nothing, source: mapped.source }
  try {
    const request = { text: mapped.source, cwd: folder, withLeftOut: true }
    const candidate = await fetchCandidate(installer, request)
    known = describeCandidate(known, candidate, entry)
    refuseOtherName(entry, candidate)
    if (known.drift === true) {
      installer.caller.note(
        `The files of "${toPrintable(name)}" are not those that its entry describes`,
      )
    }
    const status = await installEntry(installer, candidate, isDryRun)
    return { ...known, status, exit: 0 }
  } catch (thrown) {
    const error = toSkillsError(thrown)
    if (error.code === 'run/cancelled' || installer.signal.aborted) throw thrown
    const { code, message, hint = null, outcome } = error
    const status = code === 'consent/required' ? 'pending' : 'failed'
    return { ...known, status, error: { code, message, hint }, exit: outcome.exit }
  }
}

function describeCandidate(
  known: Omit<ImportedSkill, 'status' | 'exit'>,
  { skill, fetched, recorded, request }: InstallCandidate,
  entry: ForeignEntry,
): Omit<ImportedSkill, 'status' | 'exit'> {
  const { files, leftOut, archiveDigest } = fetched
  const isWhole =
    archiveDigest !== undefined || leftOut !== undefined || entry.siteDigest !== undefined
  const all = { files: [...files, ...(leftOut ?? [])], archiveDigest }
  return {
    ...known,
    source: recorded.source,
    version: skill.version,
    tree: skill.tree,
    drift: (isWhole ? hasDrifted(entry, all) : undefined) ?? null,
    adopted: request.foreignFolder !== undefined,
  }
}

function refuseOtherName({ name }: ForeignEntry, { skill }: InstallCandidate): void {
  if (toHyphenatedName(name) === skill.folder) return
  throw new SkillsError(
    'skill/changed',
    `The source of "${toPrintable(name)}" has the skill "${skill.folder}" now`,
    { hint: 'Install the skill by its source, if you want it' },
  )
}

async function installEntry(
  installer: Installer,
  candidate: InstallCandidate,
  isDryRun: boolean,
): Promise<ImportedSkill['status']> {
  const { places, options } = installer
  const { skill, recorded, before } = candidate
  if (before?.tree === skill.tree && before.source === recorded.source) {
    const { state } = await checkSkillFolder(places, before)
    if (state === 'unchanged') return 'current'
  }
  if (isDryRun) return 'available'
  // A digest is about one of the skills.
  const trust = options.trust.filter((digest) => digest === skill.tree)
  await installCandidate({ ...installer, options: { ...options, trust } }, candidate)
  return 'installed'
}
