import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, hasProblemAt, quoteValue } from '../../skill-facts.ts'
import { listSiblingKeys, type StrayKey, findStrayKeys } from '../../stray-keys.ts'

export const UNKNOWN_KEY: Rule = {
  id: 'schema/unknown-key',
  severity: 'warning',
  what: 'skill.toml has an unknown key',
  why: 'A misspelled key has no effect. It is an error if a required key is missing because of it.',
  example: { bad: { 'skill.toml': createExampleToml({ tgas: '["demo"]' }) }, good: {} },
  fix: 'Correct the spelling, move the key to its table, or remove it. --fix-unsafe corrects similar spellings.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const stray of findStrayKeys(skill)) {
      const known = listSiblingKeys(stray.path).filter((each) => each !== '$schema')
      report({
        ...locateInToml(skill, stray.path, 'key'),
        message: `Unknown key ${quoteValue(stray.path.join('.'))}, expected one of ${known.join(', ')}`,
        help: describeKeyHelp(stray),
        // The key that was suggestion is missing, and no other rule reports that.
        ...(isRequiredKey(skill, stray) && { severity: 'error' }),
        edits: replaceKey(skill, stray),
        unsafe: true,
      })
    }
  },
}

function isRequiredKey(skill: LintedSkill, { suggestion = [] }: StrayKey): boolean {
  if (suggestion.join('.') === 'runtime.entrypoint')
    return skill.manifest.runtime?.entrypoint === ''
  return hasProblemAt(skill, 'skill.toml', suggestion)
}

function describeKeyHelp({ path, suggestion }: StrayKey): string {
  const key = path.at(-1) as string
  if (!suggestion) return `Remove ${quoteValue(key)}, or correct its name`
  if (isSiblingKey(path, suggestion)) return `Did you mean "${suggestion.at(-1)}"?`
  return suggestion.length === 1
    ? `Move "${key}" above the first table: keys after [${path[0]}] belong to that table`
    : `Move "${key}" below [${suggestion[0]}]`
}

function isSiblingKey(path: readonly string[], suggestion: readonly string[]): boolean {
  return path.slice(0, -1).join('.') === suggestion.slice(0, -1).join('.')
}

/** Renames a bare key only: the span of a dotted key covers more than its own name. */
function replaceKey(skill: LintedSkill, { path, suggestion }: StrayKey): LintEdit[] {
  const { file, span } = locateInToml(skill, path, 'key')
  const written = span && skill.toml?.text.slice(span.start, span.end)
  if (!span || !suggestion || !isSiblingKey(path, suggestion) || written !== path.at(-1)) return []
  return [{ kind: 'replace', file, span, text: suggestion.at(-1) as string }]
}
