import { dirname, relative, resolve } from 'node:path'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openInstaller } from '../install/open-installer.ts'
import { openPlaces } from '../install/open-places.ts'
import { formatFailure } from '../install/report-installed.ts'
import {
  exportLock,
  type ExportTarget,
  type ExportedSkill,
} from '../../core/installing/exchange/export-lock.ts'
import {
  FOREIGN_FORMATS,
  chooseFormat,
  locateForeignLock,
  readForeignLock,
  type ForeignLock,
} from '../../core/installing/exchange/foreign-lock.ts'
import { importEntry, type ImportedSkill } from '../../core/installing/exchange/import-entry.ts'
import type { MergedEntries } from '../../core/installing/exchange/merge-entries.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { mergeLockFile } from '../../core/installing/merging/merge-locks.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'

/** `skills install --import`. */
export async function importLock(context: Context, call: CommandLine): Promise<number> {
  const [typed] = call.args
  const installer = await openInstaller(context, call)
  const { places, options } = installer
  const isDryRun = getFlagOption(call, 'dryRun')
  const file =
    typed === undefined ? locateForeignLock(places, context.env) : resolve(context.cwd, typed)
  const lock = readExisting(file, places)
  if (!isDryRun) await recoverInstall(places)
  const skills: ImportedSkill[] = []
  try {
    for (const entry of lock.entries) {
      skills.push(await importEntry(installer, { folder: dirname(file), entry, isDryRun }))
    }
  } finally {
    // A cancelled import has installed the skills before.
    reportImported(context, skills, { file, format: lock.format, dry_run: isDryRun })
  }
  // A digest that no skill has is a mistake, or a source that changed.
  const trees = new Set(skills.map(({ tree }) => tree))
  for (const digest of options.trust.filter((each) => !trees.has(each))) {
    context.note(`No skill of the lock has the digest ${digest}`)
  }
  if (skills.length === 0) context.note('The lock has no skills')
  return decideStatus(skills)
}

function reportImported(context: Context, skills: readonly ImportedSkill[], lock: object): void {
  if (context.global.json) {
    const documented = skills.map((skill) => ({ ...skill, exit: undefined }))
    context.document('skills.lock-import/v1', { ...lock, skills: documented })
  } else if (skills.length > 0) context.print(skills.map(formatImported).join('\n'))
}

function readExisting(file: string, { scope }: InstallPlaces): ForeignLock {
  const lock = readForeignLock(file)
  if (lock) return lock
  throw new SkillsError('file/not-found', `There is no lock "${file}"`, {
    hint:
      scope === 'project'
        ? 'Name the file: skills install --import path/to/skills-lock.json; --global reads that of the user'
        : 'Name the file: skills install --import path/to/.skill-lock.json --global',
  })
}

/** A missing consent is first: the user can give it. */
function decideStatus(skills: readonly ImportedSkill[]): number {
  if (skills.some(({ exit }) => exit === 4)) return 4
  return skills.find(({ exit }) => exit !== 0)?.exit ?? 0
}

const VERBS: Readonly<Record<ImportedSkill['status'], string>> = {
  installed: 'installed',
  current: 'current',
  available: 'would install',
  pending: 'pending',
  failed: 'failed',
  unmapped: 'not mapped',
}

/** Lines about one entry, for people. */
function formatImported(skill: ImportedSkill): string {
  const { status, name, version, tree, source, adopted, error } = skill
  const verb = VERBS[status]
  if (error !== undefined) {
    const from = source === null ? '' : ` from ${source}`
    return formatFailure(`${verb} ${name}${from}`, error)
  }
  const note = adopted ? ' (its folder was there, with the same files)' : ''
  return toPrintable(`${verb} ${name}@${version} ${tree} from ${source}${note}`)
}

/** `skills install --export`. */
export async function runExportLock(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const target = chooseTarget(context, call, places)
  const { signal, env } = context
  const force = getFlagOption(call, 'force')
  const { exported, merged } = await exportLock({ places, ...target, force, signal, env })
  reportExported(context, { ...target, exported, merged })
  return exported.find(({ exit }) => exit !== 0)?.exit ?? 0
}

function chooseTarget(context: Context, call: CommandLine, places: InstallPlaces): ExportTarget {
  const usual = chooseFormat(places)
  const wanted = getTextOption(call, 'format')
  const format = FOREIGN_FORMATS.find((each) => each === wanted) ?? usual
  const [out] = call.args
  if (out !== undefined) return { file: resolve(context.cwd, out), format }
  if (format === usual) return { file: locateForeignLock(places, context.env), format }
  throw new SkillsError(
    'usage/invalid',
    `The format ${format} is for the skills of a ${format === 'skill-lock' ? 'user' : 'project'}`,
    { hint: `Name the file, or ${format === 'skill-lock' ? 'pass' : 'omit'} --global` },
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

/** `skills install --merge`. */
export async function mergeLock(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const { merge } = call.options
  // `--merge` without a side is `true`.
  const side = merge === 'ours' || merge === 'theirs' ? merge : undefined
  const changes = await mergeLockFile(places.lock, { env: context.env, side })
  if (context.global.json) {
    const merged = changes !== undefined
    context.document('skills.lock-merge/v1', { merged, changes: changes ?? [] })
  } else if (changes) {
    const lines = changes.map(({ name, change }) => `${change} ${name}`)
    context.print([...lines, 'merged skills.lock'].join('\n'))
    context.note('Type "git add skills.lock", and "skills install" to install its skills')
  } else context.print('skills.lock has no conflicts')
  return 0
}
