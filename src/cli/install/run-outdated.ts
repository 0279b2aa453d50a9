import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { toSkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { compareSemver } from '../../util/semver.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import { formatCount } from '../ui/text.ts'
import { openPlaces } from './open-places.ts'
import { selectLocked } from './select-locked.ts'

interface AskedSkill {
  name: string
  /** `changed` is the same version with other files. */
  status: 'current' | 'newer' | 'older' | 'changed' | 'unknown'
  installed: string
  available: string | null
  tree: string | null
  source: string
  /** Reason for which the source could not be asked. */
  problem: string | null
}

/** `skills outdated`. */
export async function runOutdated(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  const asked: AskedSkill[] = []
  for (const locked of selectLocked(places, call.args)) {
    asked.push(await askSource(context, places, locked))
  }
  const unknown = asked.filter(({ status }) => status === 'unknown').length
  const outdated = asked.filter(({ status }) => status !== 'current' && status !== 'unknown').length
  if (context.global.json) {
    context.document('skills.outdated/v1', { outdated, unknown, skills: asked })
  } else context.print(formatAsked(context, asked, { outdated, unknown }))
  return 0
}

async function askSource(
  context: Context,
  places: InstallPlaces,
  locked: LockedSkill,
): Promise<AskedSkill> {
  const { name, version, source } = locked
  const common = { name, installed: version, source }
  try {
    const place = parseSkillSource(source, places.base)
    const fetched = await fetchSource(place, { signal: context.signal, env: context.env })
    const found = prepareSkill(fetched.files)
    const status = compareVersions(locked, found)
    return { ...common, status, available: found.version, tree: found.tree, problem: null }
  } catch (thrown) {
    context.signal.throwIfAborted()
    const problem = toSkillsError(thrown).message
    return { ...common, status: 'unknown', available: null, tree: null, problem }
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

function formatAsked(
  { columns, style }: Context,
  asked: readonly AskedSkill[],
  { outdated, unknown }: { outdated: number; unknown: number },
): string {
  const rows = asked
    .filter(({ status }) => status !== 'current')
    .map(({ name, installed, available, status, source, problem }) => [
      name,
      installed,
      available ?? '-',
      status,
      toPrintable(problem ?? source),
    ])
  const head = ['name', 'installed', 'available', 'status', 'source']
  const table = rows.length === 0 ? '' : formatTable(rows, { columns, head, paintHead: style.dim })
  const parts = [
    outdated === 0
      ? 'No other version was found'
      : `${formatCount(outdated, 'skill')} can be updated`,
    ...(unknown === 0 ? [] : [`${formatCount(unknown, 'source')} could not be asked`]),
  ]
  return [table, parts.join('; ')].filter((part) => part !== '').join('\n\n')
}
