import { checkInstalled } from '../../core/installing/check-installed.ts'
import { removeSkill } from '../../core/installing/swap-skill.ts'
import { dropPending, listPending } from '../../core/installing/pending/pending-skills.ts'
import { recoverInstall } from '../../core/installing/swap-skill.ts'
import { expandShortName } from '../../core/skills/repository/short-name.ts'
import { SkillsError } from '../../errors.ts'
import { formatPlural } from '../../util/quantity.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { openPlaces } from './open-places.ts'

interface RemovedSkill {
  name: string
  removed: true
  /** Paths of changed copies, which are not removed. */
  kept: readonly string[]
}

/** `skills remove`. All names are checked before the first skill is removed. */
export async function runRemove(context: Context, call: CommandLine): Promise<number> {
  const { places } = await openPlaces(context, call)
  await recoverInstall(places)
  const { skills } = await checkInstalled(places)
  const pending = listPending(places).map(({ name }) => name)
  const known = new Set([...skills.map(({ skill }) => skill.name), ...pending])
  const names = new Set(call.args.map((word) => findRemovable(word, known)))
  if (!(await isConfirmed(context, call, names))) {
    throw new SkillsError('run/cancelled', 'Cancelled; nothing was removed')
  }
  const removed: RemovedSkill[] = []
  for (const name of names) {
    const found = skills.find(({ skill }) => skill.name === name)
    dropPending(places, name)
    const kept = found ? await removeSkill(places, found, getFlagOption(call, 'force')) : []
    removed.push({ name, removed: true, kept })
  }
  const [first] = removed
  if (context.global.json) {
    context.document('skills.remove/v1', removed.length === 1 ? { ...first } : { skills: removed })
  }
  for (const { name, kept } of removed) {
    if (!context.global.json) context.print(`removed ${name}`)
    for (const path of kept) context.note(`${path} is kept: it is not what was installed`)
  }
  return 0
}

function findRemovable(word: string, known: ReadonlySet<string>): string {
  const name = expandShortName(word, known)
  if (name !== undefined) return name
  throw new SkillsError(
    'skill/not-found',
    `The skill "${word}" is neither in skills.lock nor pending`,
    { hint: 'Type "skills verify" to see what is installed' },
  )
}

/** A terminal is asked, unless --yes is passed. A script has named what it removes. */
async function isConfirmed(
  context: Context,
  call: CommandLine,
  names: ReadonlySet<string>,
): Promise<boolean> {
  if (!context.isInteractive || call.options['yes'] === true) return true
  const [first = ''] = names
  const message = `Remove ${names.size === 1 ? first : formatPlural(names.size, 'skill')}?`
  return await confirmByPrompt(context, { message, initialValue: true })
}
