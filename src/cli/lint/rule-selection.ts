import type { RuleSelection } from '../../core/lint/settings.ts'
import { SkillsError } from '../../errors.ts'
import { type CommandLine, getListOption } from '../command.ts'

/** Reads `--select` and `--ignore`. */
export async function selectRules(call: CommandLine): Promise<RuleSelection> {
  return {
    select: await parseRuleNames(call, 'select'),
    ignoreRules: await parseRuleNames(call, 'ignore'),
  }
}

async function parseRuleNames(call: CommandLine, option: string): Promise<string[]> {
  const texts = getListOption(call, option)
  if (texts.length === 0) return []
  const { requireRule } = await import('../../core/lint/settings.ts')
  return texts.flatMap((text) => {
    const names = text.split(',').map((name) => name.trim())
    if (names.includes('')) {
      throw new SkillsError(
        'usage/invalid',
        `--${option} is "${text}", expected rules or areas with commas between them`,
        { hint: `Write it as: skills lint --${option} naming,hygiene/crlf` },
      )
    }
    for (const name of names) requireRule(name)
    return names
  })
}
