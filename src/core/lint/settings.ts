import { SkillsError } from '../../errors.ts'
import { compileGlob } from '../../util/glob/glob.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { Config } from '../config/config.ts'
import { AREAS, type Rule, type Severity } from './rule.ts'
import { RULES } from './rules/index.ts'

export type RuleLevel = Severity | 'off'

/** Levels and profiles that apply to a lint run. */
export interface LintSettings {
  resolveLevel(rule: Pick<Rule, 'id' | 'severity'>, path: string): RuleLevel
  /** True if the rule is off for every file. */
  isOff(rule: Pick<Rule, 'id' | 'severity'>): boolean
  isIgnored(path: string): boolean
  profiles: Config['lint']['profiles']
}

/** Rules and areas of a command line. */
export interface RuleSelection {
  /** Those that run; all if empty. */
  select: readonly string[]
  /** Those that never run. */
  ignoreRules: readonly string[]
}

/** Settings of a configuration, with the selection of a command line. */
export type LintConfig = Config['lint'] & Partial<RuleSelection>

/**
 * Combines the severity of rules, the configuration and the command line; the most specific one
 * wins.
 *
 * `locate` converts a printed path to one relative to the configuration.
 */
export function createLintSettings(
  lint: LintConfig,
  flags: Readonly<Record<string, RuleLevel>> = {},
  locate: (path: string) => string = (path) => path,
): LintSettings {
  for (const rules of [lint.rules, flags, ...lint.overrides.map((each) => each.rules)]) {
    for (const name of Object.keys(rules)) requireRule(name)
  }
  const { select = [], ignoreRules = [] } = lint
  const selection = { select, ignoreRules }
  const ignored = lint.ignore.flatMap((glob) => [
    compileGlob(glob),
    compileGlob(`${glob.replace(/\/$/, '')}/**`),
  ])
  const overrides = lint.overrides.map(({ files, rules }) => ({
    matchers: files.map(compileGlob),
    rules,
  }))
  // Computed once, because it is read for every rule of every skill.
  const off = new Set(
    RULES.filter((rule) => {
      if (!isSelected(selection, rule)) return true
      const override = findLevel(flags, rule)
      if (override) return override === 'off'
      if (select.includes(rule.id)) return false
      if (overrides.some(({ rules }) => (findLevel(rules, rule) ?? 'off') !== 'off')) return false
      return findLevel(lint.rules, rule) === 'off'
    }).map(({ id }) => id),
  )
  return {
    profiles: lint.profiles,
    isIgnored(path) {
      if (ignored.length === 0) return false
      const located = locate(path)
      return ignored.some((matches) => matches(located))
    },
    isOff: ({ id }) => off.has(id),
    resolveLevel(rule, path) {
      if (!isSelected(selection, rule)) return 'off'
      let level = findLevel(lint.rules, rule) ?? rule.severity
      // A rule that is selected by its id runs even if the configuration turns it off.
      if (level === 'off' && select.includes(rule.id)) level = rule.severity
      const located = overrides.length > 0 ? locate(path) : path
      for (const { matchers, rules } of overrides) {
        const override = findLevel(rules, rule)
        if (override && matchers.some((matches) => matches(located))) level = override
      }
      return findLevel(flags, rule) ?? level
    },
  }
}

/** True if the rule is selected by its id or area, and not ignored by either. */
function isSelected({ select, ignoreRules }: RuleSelection, { id }: Pick<Rule, 'id'>): boolean {
  const isNamed = (names: readonly string[]) =>
    names.includes(id) || names.includes(id.split('/')[0] as string)
  return (select.length === 0 || isNamed(select)) && !isNamed(ignoreRules)
}

/** Level of a rule by its id, otherwise by its area. */
function findLevel(
  rules: Readonly<Record<string, RuleLevel>>,
  rule: Pick<Rule, 'id'>,
): RuleLevel | undefined {
  return rules[rule.id] ?? rules[rule.id.split('/')[0] as string]
}

/** Finds a rule. Throws with a suggestion if the id is unknown. */
export function findRule(id: string): Rule {
  const rule = RULES.find((each) => each.id === id)
  if (rule) return rule
  const guess =
    findNearest(
      id,
      RULES.map((each) => each.id),
    ) ?? RULES.find((each) => each.id.endsWith(`/${id}`))?.id
  throw new SkillsError('usage/invalid', `"${id}" is not a rule`, {
    hint: guess ? `Did you mean "${guess}"?` : 'Type "skills lint --rules" to see all rules',
  })
}

/** Throws if a name is neither a rule nor an area. */
export function requireRule(name: string): void {
  if ((AREAS as readonly string[]).includes(name)) return
  const area = name.includes('/') ? undefined : findNearest(name, AREAS)
  if (area === undefined) {
    findRule(name)
    return
  }
  throw new SkillsError('usage/invalid', `"${name}" is not a rule or area`, {
    hint: `Did you mean "${area}"?`,
  })
}
