import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import type { FetchedSkill } from '../../core/sources/fetched-skill.ts'
import { toSkillsError } from '../../errors.ts'
import { mapInOrder } from '../../rpc/map-in-order.ts'
import { toPrintable } from '../../util/printable.ts'
import { compareSemver } from '../../util/semver.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatPlural } from '../../util/quantity.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { formatTable } from '../ui/table.ts'
import { formatCount } from '../ui/text.ts'
import { compareInstalled } from './compare-installed.ts'
import { findWithdrawn } from './find-withdrawn.ts'
import { formatFailure } from './report-installed.ts'
import { fetchLockedSource, refuseLocalEdits } from './install-source.ts'

interface AskedSkill {
  name: string
  /** `changed` is the same version with other files; `withdrawn` is about the installed version. */
  status: 'current' | 'newer' | 'older' | 'changed' | 'withdrawn' | 'unknown'
  installed: string
  available: string | null
  tree: string | null
  source: string
  /** Reason for which the source could not be asked. */
  problem: string | null
  /** Reason for which the publisher withdrew the installed version. */
  withdrawn: string | null
}

interface PreviewedSkill extends AskedSkill {
  /** Reason for which an update would be refused. */
  refused: { code: string; message: string; hint: string | null } | null
}

interface Preview {
  skill: PreviewedSkill
  exit: number
}

/** Sources that are asked at the same time. */
const MAX_CONCURRENT = 8

/** `skills update --dry-run`: a source that cannot be asked is no failure, a refused update is one. */
export async function previewUpdates(
  context: Context,
  call: CommandLine,
  { places, selected }: { places: InstallPlaces; selected: readonly LockedSkill[] },
): Promise<number> {
  const ask = async (locked: LockedSkill) => await askSource(context, places, locked)
  const asked = await whileFetching(
    context,
    formatPlural(selected.length, 'source'),
    async () => await mapInOrder(selected, MAX_CONCURRENT, ask),
  )
  const previews: Preview[] = []
  for (const each of asked) previews.push(await previewSkill(context, call, { places, ...each }))
  reportPreviews(
    context,
    previews.map(({ skill }) => skill),
  )
  return previews.find(({ exit }) => exit !== 0)?.exit ?? 0
}

function reportPreviews(context: Context, skills: readonly PreviewedSkill[]): void {
  const unknown = skills.filter(({ status }) => status === 'unknown').length
  const outdated = skills.filter(
    ({ status }) => status !== 'current' && status !== 'unknown',
  ).length
  if (context.global.json) {
    context.document('skills.outdated/v1', { outdated, unknown, skills })
    return
  }
  context.print(formatAsked(context, skills))
  for (const { name, refused } of skills) {
    if (refused) context.print(formatFailure(`refused ${name}`, refused))
  }
  if (skills.some((skill) => hasUpdate(skill) && !skill.refused)) {
    context.note('Type "skills update" to install what you agree to')
  }
}

interface AskedSource {
  locked: LockedSkill
  skill: AskedSkill
  /** Undefined if the source could not be asked. */
  fetched?: FetchedSkill
}

/** Shows the differences of an update, and whether it would be refused. */
async function previewSkill(
  context: Context,
  call: CommandLine,
  { places, locked, skill, fetched }: AskedSource & { places: InstallPlaces },
): Promise<Preview> {
  if (fetched === undefined || skill.tree === locked.tree) {
    return { skill: { ...skill, refused: null }, exit: 0 }
  }
  try {
    const candidate = await fetchLockedSource(context, call, { places, locked, fetched })
    await refuseLocalEdits(call, candidate)
    context.note((await compareInstalled(context, candidate, fetched.files)).text)
    return { skill: { ...skill, refused: null }, exit: 0 }
  } catch (thrown) {
    context.signal.throwIfAborted()
    const { code, message, hint = null, outcome } = toSkillsError(thrown)
    return { skill: { ...skill, refused: { code, message, hint } }, exit: outcome.exit }
  }
}

async function askSource(
  context: Context,
  places: InstallPlaces,
  locked: LockedSkill,
): Promise<AskedSource> {
  const { name, version: installed, source } = locked
  try {
    const place = parseSkillSource(source, places.base)
    const fetched = await fetchSource(place, { signal: context.signal, env: context.env })
    const { version: available, tree } = prepareSkill(fetched.files)
    const found = compareVersions(locked, { version: available, tree })
    const withdrawn =
      found === 'current' ? fetched.yanked : await findWithdrawn(context, places, locked)
    const status = withdrawn === undefined ? found : 'withdrawn'
    const versions = { installed, available, tree }
    const facts = { name, source, status, ...versions, problem: null }
    return { locked, skill: { ...facts, withdrawn: withdrawn ?? null }, fetched }
  } catch (thrown) {
    context.signal.throwIfAborted()
    const withdrawn = await findWithdrawn(context, places, locked)
    const missing = { installed, available: null, tree: null }
    if (withdrawn !== undefined) {
      const skill = {
        name,
        source,
        status: 'withdrawn' as const,
        ...missing,
        problem: null,
        withdrawn,
      }
      return { locked, skill }
    }
    const problem = toSkillsError(thrown).message
    const status = 'unknown' as const
    return { locked, skill: { name, source, status, ...missing, problem, withdrawn: null } }
  }
}

function compareVersions(
  locked: Pick<LockedSkill, 'version' | 'tree'>,
  found: Pick<LockedSkill, 'version' | 'tree'>,
): AskedSkill['status'] {
  if (found.tree === locked.tree) return 'current'
  const order = compareSemver(found.version, locked.version)
  return order > 0 ? 'newer' : order < 0 ? 'older' : 'changed'
}

function formatAsked({ columns, style }: Context, asked: readonly AskedSkill[]): string {
  const rows = asked
    .filter(({ status }) => status !== 'current')
    .map(({ name, installed, available, status, source, problem, withdrawn }) => [
      name,
      installed,
      available ?? '-',
      status,
      toPrintable(problem ?? withdrawn ?? source),
    ])
  const head = ['name', 'installed', 'available', 'status', 'source']
  const table = rows.length === 0 ? '' : formatTable(rows, { columns, head, paintHead: style.dim })
  return [table, summarizeAsked(asked)].filter((part) => part !== '').join('\n\n')
}

function summarizeAsked(asked: readonly AskedSkill[]): string {
  const updatable = asked.filter(hasUpdate).length
  const count = (wanted: AskedSkill['status']) =>
    asked.filter(({ status }) => status === wanted).length
  const [withdrawn, unknown] = [count('withdrawn'), count('unknown')]
  const parts = [
    updatable === 0
      ? 'No other version was found'
      : `${formatCount(updatable, 'skill')} can be updated`,
    ...(withdrawn === 0
      ? []
      : [`the publisher withdrew ${formatCount(withdrawn, 'installed version')}`]),
    ...(unknown === 0 ? [] : [`${formatCount(unknown, 'source')} could not be asked`]),
  ]
  return parts.join('; ')
}

function hasUpdate({ status, available }: AskedSkill): boolean {
  return available !== null && status !== 'current'
}
