import { lstatSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expandShortName } from '../../skills/repository/short-name.ts'
import { SkillsError } from '../../../errors.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { syncFolder } from '../../../util/durable-file.ts'
import { removeWhole } from '../../../util/files/remove-whole.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import { DOWNLOAD_LIMITS } from '../../packing/read/archive-error.ts'
import { readBundle, writeBundle } from '../../signing/envelope/bundle-file.ts'
import type { SignedEnvelope } from '../../signing/envelope/dsse.ts'
import { listContent } from '../../skills/content/list-content.ts'
import { readContentFile } from '../../skills/content/read-content.ts'
import type { InstallPlaces } from '../install-places.ts'
import { prepareSkill } from '../prepare-skill.ts'
import { locateStaged, removeStaged, stageFiles } from '../stage-files.ts'
import {
  formatPendingRecord,
  pendingError,
  parsePendingRecord,
  type PendingSkillRecord,
} from './pending-record.ts'

/** A skill that waits for a consent, in a folder in which no agent looks. */
export interface PendingSkill {
  record: PendingSkillRecord
  files: readonly PackedFile[]
  envelopes: readonly SignedEnvelope[] | undefined
  /** Path of the signatures, for messages. */
  bundle: string
}

const RECORD = 'pending.json'
const BUNDLE = 'signatures.intoto.jsonl'
const FILES = 'skill'
const MAX_RECORD_BYTES = 1024 ** 2

/** Stores a skill, and replaces the pending one of the same folder. */
export async function addPendingSkill(
  places: InstallPlaces,
  { record, files, envelopes }: Omit<PendingSkill, 'bundle'>,
): Promise<string> {
  const pending = join(places.work, 'pending')
  const target = join(pending, record.folder)
  const staged = await stageFiles(places, FILES, files)
  const draft = dirname(staged)
  try {
    if (envelopes) await writeBundle(join(draft, BUNDLE), envelopes)
    writeFileSync(join(draft, RECORD), formatPendingRecord(record), { flag: 'wx', flush: true })
    mkdirSync(pending, { recursive: true })
    if (!lstatSync(pending).isDirectory()) throw pendingError(pending, 'its folder is a link')
    if (lstatSync(target, { throwIfNoEntry: false })) removeWhole(target, locateStaged(places))
    renameSync(draft, target)
    await syncFolder(pending)
  } finally {
    removeStaged(staged)
  }
  return locatePending(places, record.folder)
}

/** Records of pending skills, sorted. Their files are not read. */
export function listPending(places: InstallPlaces): PendingSkillRecord[] {
  return listPendingFolders(places).map(readPendingRecord)
}

function listPendingFolders({ work }: InstallPlaces): string[] {
  const pending = join(work, 'pending')
  if (lstatSync(pending, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(pending)
    .sort()
    .map((folder) => join(pending, folder))
}

function readPendingRecord(folder: string): PendingSkillRecord {
  const file = join(folder, RECORD)
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw pendingError(folder, 'its record is missing')
  }
  const bytes = readUpTo(file, MAX_RECORD_BYTES)
  if (!bytes) throw pendingError(folder, 'its record is too large')
  const record = parsePendingRecord(bytes.toString(), file)
  if (record.folder !== basename(folder)) throw pendingError(folder, 'it is in another folder')
  return record
}

/** Reads a pending skill; refuses files that are not those that were stored. */
export function readPending(places: InstallPlaces, word: string): PendingSkill {
  const all = listPending(places)
  const name =
    expandShortName(
      word,
      all.map((each) => each.name),
    ) ?? word
  const record = all.find((each) => each.name === name)
  if (!record) {
    throw new SkillsError('skill/not-found', `The skill "${name}" is not pending`, {
      hint: 'Type "skills install --pending" to list the pending skills',
    })
  }
  const folder = join(places.work, 'pending', record.folder)
  const files = readFiles(join(folder, FILES))
  const skill = prepareSkill(files)
  if (skill.tree !== record.tree || skill.name !== record.name) {
    throw new SkillsError(
      'skill/changed',
      `The files of "${name}" changed while they were pending: their digest is ${skill.tree}, expected ${record.tree}`,
      { hint: `Type "skills remove ${name}", and install it from its source again` },
    )
  }
  const bundle = join(folder, BUNDLE)
  return { record, files, envelopes: readBundle(bundle), bundle }
}

/** All files, in memory: what is shown, and installed later, is what was compared. */
function readFiles(folder: string): PackedFile[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw pendingError(folder, 'its files are missing')
  }
  let left: number = DOWNLOAD_LIMITS.bytes
  return listContent(folder).map((listed) => {
    if (listed.isLink) throw pendingError(folder, `"${listed.path}" is a link`)
    const read = readContentFile(folder, listed, { maxBytes: left })
    if (!read) throw pendingError(folder, `it has more than ${DOWNLOAD_LIMITS.bytes} bytes`)
    left -= read.bytes.length
    return { path: listed.path, ...read }
  })
}

/** The files of a pending skill. */
export function locatePending({ work }: InstallPlaces, folder: string): string {
  return join(work, 'pending', folder, FILES)
}

/** Removes a pending skill. False if there is none of this name; damaged records are left alone. */
export function dropPending(places: InstallPlaces, name: string): boolean {
  const folder = listPendingFolders(places).find((each) => {
    try {
      return readPendingRecord(each).name === name
    } catch (thrown) {
      if (thrown instanceof SkillsError) return false
      throw thrown
    }
  })
  if (folder === undefined) return false
  removeWhole(folder, locateStaged(places))
  return true
}
