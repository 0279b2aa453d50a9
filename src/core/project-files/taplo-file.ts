import { parse } from 'smol-toml'
import { COMPLETE, type MergeResult, type ProjectFile } from './project-file.ts'
import { CONFIG_SCHEMA_FILE, SKILL_SCHEMA_FILE } from './schema-files.ts'

const RULES = [
  ['**/skill.toml', SKILL_SCHEMA_FILE],
  ['**/skills.config.toml', CONFIG_SCHEMA_FILE],
]
  .map(
    ([pattern, path]) =>
      `[[rule]]\ninclude = ["${pattern}"]\n[rule.schema]\nenabled = true\npath = "${path}"\n`,
  )
  .join('\n')

const TEXT = `# Schemas of this project's files, for editors with Taplo (Even Better TOML).\n\n${RULES}`

/** Associates the schemas with files, for editors that read no `#:schema` line. */
export const TAPLO_FILE: ProjectFile = {
  path: '.taplo.toml',
  aliases: ['taplo.toml'],
  purpose: 'schemas of TOML files, for editors',
  create: () => TEXT,
  merge: mergeRules,
}

function mergeRules(text: string): MergeResult {
  const before = countRules(text)
  if (text.includes(SKILL_SCHEMA_FILE) && before !== undefined) return COMPLETE
  const gap = text === '' || text.endsWith('\n') ? '\n' : '\n\n'
  const after = `${text}${gap}${RULES}`
  // An inline array of rules cannot be extended by tables.
  if (before !== undefined && countRules(after) === before + 2)
    return { type: 'changed', text: after }
  return {
    type: 'manual',
    advice: `add a rule with include = ["**/skill.toml"] and schema.path = "${SKILL_SCHEMA_FILE}"`,
  }
}

/** Undefined if the text is not valid TOML. */
function countRules(text: string): number | undefined {
  try {
    const { rule = [] } = parse(text) as { rule?: unknown }
    return Array.isArray(rule) ? rule.length : undefined
  } catch {
    return undefined
  }
}
