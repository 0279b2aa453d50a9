import { processUser } from '../../../core/runs/process-user.ts'
import { SkillsError } from '../../../errors.ts'
import { removeFromCatalog } from '../../../fleet/catalog/add-to-catalog.ts'
import type { SkillVersion } from '../../../fleet/catalog/catalog-entry.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { openObjects } from '../../../fleet/objects/open-objects.ts'
import { getFlagOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { confirmByPrompt } from '../../ui/prompts.ts'
import { useFleetEngine } from '../open-fleet.ts'
import { entryNotFoundError, findCatalogEntry, readSkillVersion } from './find-entry.ts'

/** `skills fleet remove`. */
export async function removeFromFleet(context: Context, call: CommandLine): Promise<number> {
  const skill = readSkillVersion(call)
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const { name, version, digest } = await findCatalogEntry(engine, skill)
    if (!getFlagOption(call, 'yes')) await confirmSkillRemoval(context, skill)
    const objects = openObjects(engine, 'skills')
    const isDone = await removeFromCatalog(engine, objects, { name, version, by: processUser() })
    // Another operator was faster.
    if (!isDone) throw entryNotFoundError(skill, [])
    if (context.global.json) context.document('skills.fleet-remove/v1', { name, version, digest })
    else context.print(`${context.style.green('removed')} ${name}@${version}`)
    return 0
  })
}

async function confirmSkillRemoval(context: Context, { name, version }: SkillVersion): Promise<void> {
  const skill = `${name}@${version}`
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `This would remove ${skill} from every node`, {
      hint: 'Add --yes to remove it',
    })
  }
  const message = `Remove ${skill} from every node of the fleet?`
  if (await confirmByPrompt(context, { message, initialValue: false })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was removed')
}
