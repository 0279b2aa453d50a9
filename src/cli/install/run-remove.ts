import { checkInstalled } from '../../core/installing/check-installed.ts'
import { applyChange, locateInstall, recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** `skills remove`. */
export async function runRemove(context: Context, call: CommandLine): Promise<number> {
  const [name = ''] = call.args
  const { projectDir } = await openConfig(context)
  const places = locateInstall(projectDir)
  await recoverInstall(places)
  const { skills } = await checkInstalled(places)
  const found = skills.find(({ skill }) => skill.name === name)
  if (!found) {
    throw new SkillsError('skill/not-found', `The skill "${name}" is not in skills.lock`, {
      hint: 'Type "skills verify" to see what is installed',
    })
  }
  if (found.state === 'changed' && call.options['force'] !== true) {
    throw new SkillsError(
      'skill/changed',
      `The files of "${name}" were changed after the installation`,
      {
        hint: `Type "skills verify" to list them, or pass --force to remove them`,
      },
    )
  }
  await applyChange(places, {
    folder: found.skill.folder,
    staged: undefined,
    update: (locked) => locked.filter((each) => each.name !== name),
  })
  if (context.global.json) context.document('skills.remove/v1', { name, removed: true })
  else context.print(`removed ${name}`)
  return 0
}
