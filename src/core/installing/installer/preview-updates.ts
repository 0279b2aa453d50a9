import { toSkillsError, type SkillsError } from '../../../errors.ts'
import { mapInOrder } from '../../../util/slices/map-in-order.ts'
import { compareSemver } from '../../../util/semver.ts'
import { fetchSource } from '../../sources/fetch-source.ts'
import type { FetchedSkill } from '../../sources/fetched-skill.ts'
import { parseSkillSource } from '../../sources/skill-source.ts'
import type { LockedSkill } from '../lock-file.ts'
import { prepareSkill } from '../prepare-skill.ts'
import type { InstalledComparison } from './candidate.ts'
import { compareInstalled } from './install-candidate.ts'
import { fetchLockedSource } from './fetch-candidate.ts'
import { findWithdrawn } from './update-skills.ts'
import { refuseLocalEdits } from './install-candidate.ts'
import type { Installer } from './installer.ts'

/** The version that the source of an installed skill has. */
export interface AskedSkill {
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

interface AskedSource {
  locked: LockedSkill
  skill: AskedSkill
  /** Undefined if the source could not be asked. */
  fetched?: FetchedSkill
}

/** An update that would be installed, or refused. */
export interface UpdatePreview {
  /** Undefined if there is no update. */
  comparison?: InstalledComparison | undefined
  refusal?: SkillsError
}

/** Sources that are asked at the same time. */
const MAX_CONCURRENT = 8

/** Asks sources what they have. One that cannot be asked is no failure. */
export async function askSources(
  installer: Installer,
  selected: readonly LockedSkill[],
): Promise<AskedSource[]> {
  return await mapInOrder(
    selected,
    MAX_CONCURRENT,
    async (locked) => await askSource(installer, locked),
  )
}

/** Compares an update with the installed files, and finds out whether it would be refused. */
export async function previewUpdate(
  installer: Installer,
  { locked, skill, fetched }: AskedSource,
): Promise<UpdatePreview> {
  if (fetched === undefined || skill.tree === locked.tree) return {}
  try {
    const candidate = await fetchLockedSource(installer, locked, fetched)
    await refuseLocalEdits(installer, candidate)
    return { comparison: await compareInstalled(installer, candidate) }
  } catch (thrown) {
    installer.signal.throwIfAborted()
    return { refusal: toSkillsError(thrown) }
  }
}

async function askSource(installer: Installer, locked: LockedSkill): Promise<AskedSource> {
  const { places, signal, env } = installer
  const { name, version: installed, source } = locked
  const common = { name, source, installed, problem: null }
  try {
    const place = parseSkillSource(source, places.base)
    const fetched = await fetchSource(place, { signal, env })
    const { version: available, tree } = prepareSkill(fetched.files)
    const found = compareVersions(locked, { version: available, tree })
    const withdrawn = found === 'current' ? fetched.yanked : await findWithdrawn(installer, locked)
    const status = withdrawn === undefined ? found : 'withdrawn'
    const skill = { ...common, available, tree, status, withdrawn: withdrawn ?? null }
    return { locked, skill, fetched }
  } catch (thrown) {
    signal.throwIfAborted()
    const withdrawn = await findWithdrawn(installer, locked)
    const missing = { ...common, available: null, tree: null }
    if (withdrawn !== undefined) {
      return { locked, skill: { ...missing, status: 'withdrawn', withdrawn } }
    }
    const problem = toSkillsError(thrown).message
    return { locked, skill: { ...missing, status: 'unknown', problem, withdrawn: null } }
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
