import { relative } from 'node:path'
import { processUser } from '../../../core/runs/process-user.ts'
import { pushSkills, type PushResult } from '../../../fleet/catalog/push-skills.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { openObjects } from '../../../fleet/objects/open-objects.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { useFleetEngine } from '../open-fleet.ts'
import { findPushedSkills, type FoundSkills, type RefusedFolder } from './find-pushed.ts'

const EXIT_REFUSED = 1

/** A skill as in JSON. */
interface PushRecord {
  /** Null if the manifest is not valid, as the next one. */
  name: string | null
  version: string | null
  folder: string
  state: PushResult['state']
  /** Null for a refused skill. */
  digest: string | null
  /** Null for a skill that was not refused. */
  reason: string | null
}

/** `skills fleet push`; returns 1 if a skill was refused. */
export async function pushToFleet(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async ({ engine, config }) => {
    await checkAssets(engine)
    const found = await findPushedSkills(context, config, call.args)
    const records = found.refused.map(toRefusedRecord)
    if (!context.global.json) for (const record of records) printRecord(context, record)
    const folders = listSkillFolders(context, found)
    await pushSkills(engine, openObjects(engine, 'skills'), {
      skills: found.skills,
      by: processUser(),
      onResult(result) {
        const record = toRecord(result, folders[records.length - found.refused.length] ?? '.')
        records.push(record)
        if (!context.global.json) printRecord(context, record)
      },
    })
    if (context.global.json) context.document('skills.fleet-push/v1', { skills: records })
    return records.some(({ state }) => state === 'refused') ? EXIT_REFUSED : 0
  })
}

/** Folders of the skills, in their order. */
function listSkillFolders({ cwd }: Context, { skills }: FoundSkills): readonly string[] {
  return skills.map(({ dir }) => relative(cwd, dir) || '.')
}

function toRefusedRecord({ name, version, folder, reason }: RefusedFolder): PushRecord {
  const identity = { name: name ?? null, version: version ?? null }
  return { ...identity, folder, state: 'refused', digest: null, reason }
}

function toRecord(result: PushResult, folder: string): PushRecord {
  const { name, version, state } = result
  const common = { name, version, folder, state }
  if (result.state === 'refused') return { ...common, digest: null, reason: result.reason }
  return { ...common, digest: result.digest, reason: null }
}

function printRecord(context: Context, { name, version, folder, state, reason }: PushRecord): void {
  const { style } = context
  const paint = { pushed: style.green, unchanged: style.dim, refused: style.red }[state]
  const subject = name === null ? folder : `${name}@${version}`
  const suffix = reason === null ? '' : `: ${reason}`
  context.print(`${paint(state)} ${toPrintable(subject + suffix)}`)
}
