import { dirname, resolve } from 'node:path'
import { readForeignLock, type ForeignLock } from '../../core/installing/exchange/foreign-lock.ts'
import { importEntry, type ImportedSkill } from '../../core/installing/exchange/import-entry.ts'
import { locateForeignLock } from '../../core/installing/exchange/locate-foreign.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openInstaller } from '../install/open-installer.ts'
import { formatFailure } from '../install/report-installed.ts'

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
  parked: 'parked',
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
