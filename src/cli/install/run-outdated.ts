import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
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
import { findWithdrawn } from './find-withdrawn.ts'
import { openPlaces } from './open-places.ts'
import { selectLocked } from './select-locked.ts'

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

/** Sources that are asked at the same time. */
const MAX_CONCURRENT = 8

/** `skills outdated`. */
export async function runOutdated(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const selected = selectLocked(places, call.args)
  const ask = async (locked: LockedSkill) => await askSource(context, places, locked)
  const sources = formatPlural(selected.length, 'source')
  const asked = await whileFetching(
    context,
    sources,
    async () => await mapInOrder(selected, MAX_CONCURRENT, ask),
  )
  const unknown = asked.filter(({ status }) => status === 'unknown').length
  const outdated = asked.filter(({ status }) => status !== 'current' && status !== 'unknown').length
  if (context.global.json) {
    context.document('skills.outdated/v1', { outdated, unknown, skills: asked })
  } else {
    context.print(formatAsked(context, asked))
    if (asked.some(hasUpdate)) {
      context.note('Type "skills update --dry-run" to see the differences')
    }
  }
  return 0
}

async function askSource(
  context: Context,
  places: InstallPlaces,
  locked: LockedSkill,
): Promise<AskedSkill> {
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
    return { name, source, status, ...versions, problem: null, withdrawn: withdrawn ?? null }
  } catch (thrown) {
    context.signal.throwIfAborted()
    const withdrawn = await findWithdrawn(context, places, locked)
    const missing = { installed, available: null, tree: null }
    if (withdrawn !== undefined) {
      return { name, source, status: 'withdrawn', ...missing, problem: null, withdrawn }
    }
    const problem = toSkillsError(thrown).message
    return { name, source, status: 'unknown', ...missing, problem, withdrawn: null }
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
