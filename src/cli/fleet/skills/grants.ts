import { storeGrant, type GrantChange } from '../../../core/skills/uploads/change-grant.ts'
import type { SkillGrant } from '../../../core/skills/uploads/grant.ts'
import { openFleetGrants } from '../../../fleet/catalog/fleet-grants.ts'
import { openFleetNameOwners } from '../../../fleet/catalog/fleet-name-owners.ts'
import { readCatalogManifest } from '../../../fleet/catalog/unpack-skill.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { openObjects } from '../../../fleet/objects/open-objects.ts'
import type { CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { useFleetEngine } from '../open-fleet.ts'
import { findCatalogEntry, readSkillVersion, requireUploadedName } from './find-entry.ts'

/** `skills grant --list --fleet`. */
export async function listFleetGrants(
  context: Context,
  call: CommandLine,
): Promise<readonly SkillGrant[]> {
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    return await openFleetGrants(engine).list()
  })
}

/** `skills grant <skill> --fleet`. Every node reads the new grant from then on. */
export async function changeFleetGrant(
  context: Context,
  call: CommandLine,
  change: GrantChange,
): Promise<SkillGrant> {
  const skill = readSkillVersion(call)
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const entry = await findCatalogEntry(engine, skill)
    const manifest = await readCatalogManifest(openObjects(engine, 'skills'), entry)
    const { digest } = entry
    return await storeGrant(openFleetGrants(engine), { manifest, digest }, change)
  })
}

/** `skills grant <skill> --owner --fleet`, for a skill of which the catalog has an uploaded version. */
export async function transferFleetName(
  context: Context,
  call: CommandLine,
  { name, owner }: { name: string; owner: string },
): Promise<void> {
  await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    await requireUploadedName(engine, name)
    await openFleetNameOwners(engine).transfer(name, owner)
  })
}
