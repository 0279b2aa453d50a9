import { checkInstalled, type InstalledSkill } from '../../core/installing/check-installed.ts'
import { locateInstall, recoverInstall } from '../../core/installing/swap-skill.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** `skills verify` without a skill: compares all installed files with the lock. */
export async function verifyInstalled(context: Context, call: CommandLine): Promise<number> {
  const [option] = Object.keys(call.options).filter((name) => call.options[name] !== undefined)
  if (option !== undefined) {
    throw new SkillsError('usage/invalid', `--${option} needs the name of a skill`, {
      hint: 'Type "skills verify <skill>", or omit the option',
    })
  }
  const { projectDir } = await openConfig(context)
  const places = locateInstall(projectDir)
  await recoverInstall(places)
  const { skills, unknown } = await checkInstalled(places)
  const isUnchanged = skills.every(({ state }) => state === 'unchanged') && unknown.length === 0
  if (context.global.json) {
    context.document('skills.installed/v1', {
      ok: isUnchanged,
      skills: skills.map(({ skill, state, changes }) => ({
        name: skill.name,
        version: skill.version,
        tree: skill.tree,
        state,
        ...changes,
      })),
      unknown,
    })
  } else context.print(formatInstalled(skills, unknown))
  return isUnchanged ? 0 : 1
}

function formatInstalled(skills: readonly InstalledSkill[], unknown: readonly string[]): string {
  const lines = skills.flatMap(({ skill, state, changes }) => [
    `${state} ${skill.name}@${skill.version} ${skill.tree}`,
    ...Object.entries(changes ?? {}).flatMap(([kind, paths]: [string, readonly string[]]) =>
      paths.map((path) => `  ${kind} ${toPrintable(path)}`),
    ),
  ])
  const extra = unknown.map((name) => `unknown .agents/skills/${toPrintable(name)}`)
  return [...lines, ...extra].join('\n') || 'No skill is installed here'
}
