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
  formatParkedRecord,
  parkedError,
  parseParkedRecord,
  type ParkedRecord,
} from './parked-record.ts'

/** A skill that waits for a consent, in a folder in which no agent looks. */
export interface ParkedSkill {
  record: ParkedRecord
  files: readonly PackedFile[]
  envelopes: readonly SignedEnvelope[] | undefined
  /** Path of the signatures, for messages. */
  bundle: string
}

const RECORD = 'parked.json'
const BUNDLE = 'signatures.intoto.jsonl'
const FILES = 'skill'
const MAX_RECORD_BYTES = 1024 ** 2

/** Stores a skill, and replaces the parked one of the same folder. */
export async function parkSkill(
  places: InstallPlaces,
  { record, files, envelopes }: Omit<ParkedSkill, 'bundle'>,
): Promise<string> {
  const parked = join(places.work, 'parked')
  const target = join(parked, record.folder)
  const staged = await stageFiles(places, FILES, files)
  const draft = dirname(staged)
  try {
    if (envelopes) await writeBundle(join(draft, BUNDLE), envelopes)
    writeFileSync(join(draft, RECORD), formatParkedRecord(record), { flag: 'wx', flush: true })
    mkdirSync(parked, { recursive: true })
    if (!lstatSync(parked).isDirectory()) throw parkedError(parked, 'its folder is a link')
    if (lstatSync(target, { throwIfNoEntry: false })) removeWhole(target, locateStaged(places))
    renameSync(draft, target)
    await syncFolder(parked)
  } finally {
    removeStaged(staged)
  }
  return locateParked(places, record.folder)
}

/** Records of parked skills, sorted. Their files are not read. */
export function listParked(places: InstallPlaces): ParkedRecord[] {
  return listParkedFolders(places).map(readParkedRecord)
}

function listParkedFolders({ work }: InstallPlaces): string[] {
  const parked = join(work, 'parked')
  if (lstatSync(parked, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(parked)
    .sort()
    .map((folder) => join(parked, folder))
}

function readParkedRecord(folder: string): ParkedRecord {
  const file = join(folder, RECORD)
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw parkedError(folder, 'its record is missing')
  }
  const bytes = readUpTo(file, MAX_RECORD_BYTES)
  if (!bytes) throw parkedError(folder, 'its record is too large')
  const record = parseParkedRecord(bytes.toString(), file)
  if (record.folder !== basename(folder)) throw parkedError(folder, 'it is in another folder')
  return record
}

/** Reads a parked skill; refuses files that are not those that were parked. */
export function readParked(places: InstallPlaces, word: string): ParkedSkill {
  const all = listParked(places)
  const name =
    expandShortName(
      word,
      all.map((each) => each.name),
    ) ?? word
  const record = all.find((each) => each.name === name)
  if (!record) {
    throw new SkillsError('skill/not-found', `The skill "${name}" is not parked`, {
      hint: 'Type "skills install --parked" to list the parked skills',
    })
  }
  const folder = join(places.work, 'parked', record.folder)
  const files = readFiles(join(folder, FILES))
  const skill = prepareSkill(files)
  if (skill.tree !== record.tree || skill.name !== record.name) {
    throw new SkillsError(
      'skill/changed',
      `The files of "${name}" changed after they were parked: their digest is ${skill.tree}, expected ${record.tree}`,
      { hint: `Type "skills remove ${name}", and install it from its source again` },
    )
  }
  const bundle = join(folder, BUNDLE)
  return { record, files, envelopes: readBundle(bundle), bundle }
}

/** All files, in memory: what is shown, and installed later, is what was compared. */
function readFiles(folder: string): PackedFile[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw parkedError(folder, 'its files are missing')
  }
  let left: number = DOWNLOAD_LIMITS.bytes
  return listContent(folder).map((listed) => {
    if (listed.isLink) throw parkedError(folder, `"${listed.path}" is a link`)
    const read = readContentFile(folder, listed, { maxBytes: left })
    if (!read) throw parkedError(folder, `it has more than ${DOWNLOAD_LIMITS.bytes} bytes`)
    left -= read.bytes.length
    return { path: listed.path, ...read }
  })
}

/** The files of a parked skill. */
export function locateParked({ work }: InstallPlaces, folder: string): string {
  return join(work, 'parked', folder, FILES)
}

/** Removes a parked skill. False if there is none of this name; damaged records are left alone. */
export function dropParked(places: InstallPlaces, name: string): boolean {
  const folder = listParkedFolders(places).find((each) => {
    try {
      return readParkedRecord(each).name === name
    } catch (thrown) {
      if (thrown instanceof SkillsError) return false
      throw thrown
    }
  })
  if (folder === undefined) return false
  removeWhole(folder, locateStaged(places))
  return true
}
