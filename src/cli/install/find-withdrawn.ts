import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { findWithdrawal } from '../../core/sources/fetch-source.ts'
import { parseRemoteSource, parseSkillSource } from '../../core/sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** The reason for which the installed version was withdrawn; undefined if the source does not state it. */
export async function findWithdrawn(
  { signal, env }: Context,
  places: InstallPlaces,
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
