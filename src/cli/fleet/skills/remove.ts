import { processUser } from '../../../core/runs/process-user.ts'
import { SkillsError } from '../../../errors.ts'
import { removeFromCatalog } from '../../../fleet/catalog/add-to-catalog.ts'
import {
  CATALOG_PATTERN,
  isRemoved,
  readEntryMessage,
  type CatalogEntry,
  type SkillVersion,
} from '../../../fleet/catalog/catalog-entry.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import type { Engine } from '../../../fleet/engine/engine.ts'
import { openObjects } from '../../../fleet/objects/open-objects.ts'
import { findNearest } from '../../../util/find-nearest.ts'
import { toPrintable } from '../../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { parseReference } from '../../find-skill.ts'
import { confirmByPrompt } from '../../ui/prompts.ts'
import { useFleetEngine } from '../open-fleet.ts'

/** `skills fleet remove`. */
export async function removeFromFleet(context: Context, call: CommandLine): Promise<number> {
  const skill = readSkill(call)
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const { name, version, digest } = await findEntry(engine, skill)
    if (!getFlagOption(call, 'yes')) await confirmSkillRemoval(context, skill)
    const objects = openObjects(engine, 'skills')
    const isDone = await removeFromCatalog(engine, objects, { name, version, by: processUser() })
    // Another operator was faster.
    if (!isDone) throw notFoundError(skill, [])
    if (context.global.json) context.document('skills.fleet-remove/v1', { name, version, digest })
    else context.print(`${context.style.green('removed')} ${name}@${version}`)
    return 0
  })
}

function readSkill({ args }: CommandLine): SkillVersion {
  const [reference = ''] = args
  const { name, version } = parseReference(reference)
  if (version !== undefined) return { name, version }
  throw new SkillsError('usage/invalid', `Missing the version of "${reference}"`, {
    hint: `Write it as ${name}@1.0.0`,
  })
}

async function findEntry(engine: Engine, { name, version }: SkillVersion): Promise<CatalogEntry> {
  const entries: CatalogEntry[] = []
  for await (const message of engine.list('state', CATALOG_PATTERN)) {
    const entry = readEntryMessage(message)?.entry
    if (entry && !isRemoved(entry)) entries.push(entry)
  }
  const found = entries.find((entry) => entry.name === name && entry.version === version)
  if (found) return found
  throw notFoundError({ name, version }, entries)
}

function notFoundError(
  { name, version }: SkillVersion,
  entries: readonly SkillVersion[],
): SkillsError {
  const references = entries.map((entry) => `${entry.name}@${entry.version}`)
  const guess =
    findNearest(`${name}@${version}`, references) ??
    references.find((reference) => reference.startsWith(`${name}@`))
  const message = `The catalog of the fleet has no skill "${toPrintable(`${name}@${version}`)}"`
  return new SkillsError('skill/not-found', message, {
    ...(guess !== undefined && { hint: `Did you mean "${guess}"?` }),
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
