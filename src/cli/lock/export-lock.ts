import { lstatSync, mkdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import {
  FOREIGN_FILES,
  FOREIGN_FORMATS,
  readForeignLock,
  type ForeignFormat,
  type ForeignLock,
} from '../../core/installing/exchange/foreign-lock.ts'
import { mergeEntries, type MergedEntries } from '../../core/installing/exchange/merge-entries.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'
import { toPrintable } from '../../util/printable.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openPlaces } from '../install/open-places.ts'
import { selectLocked } from '../install/select-locked.ts'
import { chooseFormat, locateForeignLock } from './locate-foreign.ts'
import { createEntry, type CreatedEntry } from '../../core/installing/exchange/create-entry.ts'
import { describeSource } from '../../core/installing/exchange/describe-source.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'

/** `skills install --export`. */
export async function exportLock(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const { file, format } = chooseTarget(context, call, places)
  const before = readReplacedLock(file, format)
  const exported: ExportedSkill[] = []
  for (const locked of selectLocked(places, [])) {
    exported.push(await exportEntry(context, { places, locked, file, format }))
  }
  const created = exported.flatMap(({ entry }) => (entry ? [entry] : []))
  const merged = mergeEntries(created, { format, before, now: new Date().toISOString() })
  if (call.options['force'] !== true) refuseReplaced(file, merged)
  const isChanged = merged.states.some(({ state }) => state !== 'unchanged')
  if (isChanged) {
    mkdirSync(dirname(file), { recursive: true })
    await writeFileWhole(file, merged.text)
  }
  reportExported(context, { file, format, exported, merged })
  return exported.find(({ exit }) => exit !== 0)?.exit ?? 0
}

interface ExportTarget {
  file: string
  format: ForeignFormat
}

function chooseTarget(context: Context, call: CommandLine, places: InstallPlaces): ExportTarget {
  const usual = chooseFormat(places)
  const wanted = getTextOption(call, 'format')
  const format = FOREIGN_FORMATS.find((each) => each === wanted) ?? usual
  const [out] = call.args
  if (out !== undefined) return { file: resolve(context.cwd, out), format }
  if (format === usual) return { file: locateForeignLock(context, places), format }
  throw new SkillsError(
    'usage/invalid',
    `The format ${format} is for the skills of a ${format === 'skill-lock' ? 'user' : 'project'}`,
    {
      hint: `Name the file, or ${format === 'skill-lock' ? 'pass' : 'omit'} --global`,
    },
  )
}

/** The file that would be changed; a link could lead out of the project. */
function readReplacedLock(file: string, format: ForeignFormat): ForeignLock | undefined {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    throw new SkillsError('file/outside', `"${file}" is a link, and is not replaced`, {
      hint: 'Name the file to which it leads',
    })
  }
  const before = readForeignLock(file)
  if (before === undefined || before.format === format) return before
  const { version } = FOREIGN_FILES[before.format]
  throw new SkillsError('usage/invalid', `"${file}" has the format ${before.format}`, {
    hint: `Pass --format ${before.format} for version ${version}, or name another file`,
  })
}

function refuseReplaced(file: string, { states }: MergedEntries): void {
  const [first] = states.filter(({ state }) => state === 'replaced')
  if (first === undefined) return
  throw new SkillsError(
    'skill/exists',
    `"${file}" has "${toPrintable(first.key)}" from another source, "${toPrintable(String(first.before))}"`,
    { hint: 'Pass --force to replace the entry' },
  )
}

interface ExportReport extends ExportTarget {
  exported: readonly ExportedSkill[]
  merged: MergedEntries
}

function reportExported(context: Context, { file, format, exported, merged }: ExportReport): void {
  const skills = exported.map(({ name, entry, problem }) => {
    const state = merged.states.find(({ key }) => key === entry?.key)?.state ?? 'omitted'
    return { name, key: entry?.key ?? null, state, problem: problem ?? null }
  })
  const { kept } = merged
  if (context.global.json) {
    return context.document('skills.lock-export/v1', { file, format, skills, kept })
  }
  const lines = [
    ...skills.map(({ name, state, problem }) =>
      problem === null ? `${state} ${name}` : `${state} ${name}: ${problem}`,
    ),
    ...kept.map((key) => `kept ${key} (not in skills.lock)`),
    `in ${relative(context.cwd, file) || file}`,
  ]
  context.print(lines.map((line) => toPrintable(line)).join('\n'))
}

/** A skill of the lock, and its entry in the other format. */
interface ExportedSkill {
  name: string
  entry?: CreatedEntry
  /** The reason for which there is no entry. */
  problem?: string
  /** Exit status of this skill: 0 also if the format has no such source. */
  exit: number
}

interface ExportRequest {
  places: InstallPlaces
  locked: LockedSkill
  file: string
  format: ForeignFormat
}

/** Reads a skill from its source, and describes it as the other tool does. */
async function exportEntry(
  { signal, env }: Context,
  { places, locked, file, format }: ExportRequest,
): Promise<ExportedSkill> {
  const { name } = locked
  const relativeTo = format === 'skills-lock' ? dirname(file) : undefined
  const described = describeSource(locked, { base: places.base, relativeTo })
  if ('problem' in described) return { name, problem: described.problem, exit: 0 }
  try {
    const place = parseSkillSource(locked.resolved, places.base)
    const fetched = await fetchSource(place, { signal, env, withLeftOut: true })
    if (prepareSkill(fetched.files).tree !== locked.tree) {
      const problem = `its source has other files than skills.lock; type "skills update ${name}"`
      return { name, problem, exit: 3 }
    }
    const entry = createEntry(format, { locked, described, fetched })
    return typeof entry === 'string' ? { name, problem: entry, exit: 0 } : { name, entry, exit: 0 }
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toSkillsError(thrown)
    return { name, problem: error.message, exit: error.outcome.exit }
  }
}
