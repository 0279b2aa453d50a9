import { checkInstalled } from '../../core/installing/check-installed.ts'
import { dropParked, listParked } from '../../core/installing/parking/parked-skills.ts'
import { applyChange, recoverInstall } from '../../core/installing/swap-skill.ts'
import { expandShortName } from '../../core/skills/repository/short-name.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openPlaces } from './open-places.ts'

/** `skills remove`. */
export async function runRemove(context: Context, call: CommandLine): Promise<number> {
  const [word = ''] = call.args
  const { places } = await openPlaces(context, call)
  await recoverInstall(places)
  const { skills } = await checkInstalled(places)
  const known = [...skills.map(({ skill }) => skill), ...listParked(places)]
  const name =
    expandShortName(
      word,
      known.map((each) => each.name),
    ) ?? word
  const found = skills.find(({ skill }) => skill.name === name)
  const isDropped = dropParked(places, name)
  if (!found && isDropped) return reportRemoved(context, name, [])
  if (!found) {
    throw new SkillsError(
      'skill/not-found',
      `The skill "${name}" is neither in skills.lock nor parked`,
      {
        hint: 'Type "skills verify" to see what is installed',
      },
    )
  }
  await applyChange(places, {
    folder: found.skill.folder,
    staged: undefined,
    dropsEdits: call.options['force'] === true,
    update: (locked) => locked.filter((each) => each.name !== name),
  })
  const kept = found.agents.filter(({ state }) => state === 'changed').map(({ path }) => path)
  return reportRemoved(context, name, kept)
}

function reportRemoved(context: Context, name: string, kept: readonly string[]): number {
  if (context.global.json) context.document('skills.remove/v1', { name, removed: true, kept })
  else context.print(`removed ${name}`)
  for (const path of kept) context.note(`${path} is kept: it is not what was installed`)
  return 0
}
