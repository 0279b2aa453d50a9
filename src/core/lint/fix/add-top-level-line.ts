import type { TomlSource } from '../../skills/manifest/source.ts'
import type { LintEdit, LintedSkill } from '../rule.ts'
import { getToml } from '../skill-facts.ts'

const LEADING_KEYS = ['name', 'version', 'description', 'kind', 'namespace']

/**
 * Edit that adds a top-level line to skill.toml: after its keys, otherwise after its leading
 * comments.
 */
export function addTopLevelLine(skill: LintedSkill, line: string): LintEdit[] {
  const { toml } = skill
  if (!toml || !getToml(skill)) return []
  const at = findEndOfKeys(toml) ?? findEndOfComments(toml.text)
  const newline = toml.text.includes('\r\n') ? '\r\n' : '\n'
  const lead = at > 0 && !/[\n\uFEFF]/.test(toml.text[at - 1] as string) ? newline : ''
  const span = { start: at, end: at }
  return [{ kind: 'replace', file: 'skill.toml', span, text: `${lead}${line}${newline}` }]
}

/** Start of the line after the last leading key; a value may span several lines. */
function findEndOfKeys(toml: TomlSource): number | undefined {
  const ends = LEADING_KEYS.filter((key) => typeof toml.data[key] === 'string')
    .map((key) => toml.locate([key]).end)
    .filter((end) => end > 0)
  return ends.length > 0 ? findNextLine(toml.text, Math.max(...ends)) : undefined
}

/** A leading comment may be a directive (`#:schema`), which works only at the top. */
function findEndOfComments(text: string): number {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (/^[ \t]*#/.test(text.slice(at, at + 200))) at = findNextLine(text, at)
  return at
}

function findNextLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  return newline === -1 ? text.length : newline + 1
}
