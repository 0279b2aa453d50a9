import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { findWithdrawal } from '../../sources/fetch-source.ts'
import { parseRemoteSource, parseSkillSource } from '../../sources/skill-source.ts'
import type { LockedSkill } from '../lock-file.ts'
import type { Installer } from './installer.ts'

/** The reason for which the installed version was withdrawn; undefined if the source does not state it. */
export async function findWithdrawn(
  { places, signal, env }: Installer,
  { source, resolved, version }: LockedSkill,
): Promise<string | undefined> {
  try {
    const place = parseSkillSource(source, places.base)
    const pinned = parseRemoteSource(resolved)
    // The version of a package can differ from the one of its skill.
    const asked = pinned?.type === 'npm' ? (pinned.version ?? version) : version
    const reason = await findWithdrawal(place, asked, { signal, env })
    return reason === undefined ? undefined : toPrintable(reason)
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof SkillsError) return undefined
    throw thrown
  }
}
