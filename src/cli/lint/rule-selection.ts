import type { Config } from '../../core/config/config.ts'
import { SkillsError } from '../../errors.ts'
import { type CommandLine, getListOption } from '../command.ts'

/**
 * Combines the selection of a command line with the configured one. `--select` replaces
 * `lint.select`, `--ignore` adds to `lint.ignore_rules`. A rule that the command line selects by
 * name runs even if the configuration ignores it.
 */
export async function selectRules(
  call: CommandLine,
  lint: Config['lint'],
): Promise<Pick<Config['lint'], 'select' | 'ignoreRules'>> {
  const select = await parseRuleNames(call, 'select')
  const ignored = await parseRuleNames(call, 'ignore')
  return {
    select: select.length > 0 ? select : lint.select,
    ignoreRules: [...lint.ignoreRules.filter((name) => !select.includes(name)), ...ignored],
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
