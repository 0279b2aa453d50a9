import { isSkillName } from '../skills/manifest/fields.ts'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import { formatManifestValue } from '../skills/manifest/non-finite.ts'
import { getSecretPath } from '../skills/manifest/secret-use.ts'
import type { SkillFile, Span } from '../skills/manifest/source.ts'
import type { ManifestProblem } from '../skills/manifest/to-manifest.ts'
import type { PythonFacts, PythonFunction } from './python/facts.ts'
import type { LintEdit, LintedSkill } from './rule.ts'
import { isVendored } from './vendored.ts'

/** Values of skill.toml; undefined if the file is missing or does not parse. */
export function getToml(skill: LintedSkill): PlainObject | undefined {
  return skill.toml && !skill.toml.problem ? skill.toml.data : undefined
}

/** A table of skill.toml; empty if it is missing or has another type. */
export function getTable(skill: LintedSkill, key: string): PlainObject {
  return toTable(getToml(skill)?.[key])
}

export function toTable(value: Plain | undefined): PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** True if the repository rejects the skill because of this key. */
export function hasProblemAt(
  { problems }: LintedSkill,
  file: ManifestProblem['file'],
  path: readonly string[],
): boolean {
  return problems.some((each) => each.file === file && each.path.join('.') === path.join('.'))
}

/** Front matter of SKILL.md; undefined if it is missing or does not parse. */
export function getFrontMatter(skill: LintedSkill): PlainObject | undefined {
  const block = skill.markdown?.frontMatter
  return block?.present && !block.problem ? block.data : undefined
}

/** Span of a path in skill.toml. */
export function locateInToml(
  skill: LintedSkill,
  path: readonly (string | number)[],
  what?: 'key' | 'value',
): { file: string; span: Span | undefined } {
  return { file: 'skill.toml', span: skill.toml?.locate(path, what) }
}

/** Span of a secret: its element of the list, or its key in the table. */
export function locateSecret(
  skill: LintedSkill,
  index: number,
): { file: string; span: Span | undefined } {
  const path = getSecretPath(skill.manifest, index)
  return locateInToml(skill, path, path.at(-1) === index ? 'value' : 'key')
}

/** Span of a path in SKILL.md's front matter. */
export function locateInFrontMatter(
  skill: LintedSkill,
  path: readonly (string | number)[],
  what?: 'key' | 'value',
): { file: string; span: Span | undefined } {
  return { file: 'SKILL.md', span: skill.markdown?.frontMatter.locate(path, what) }
}

/** Formats a value for a message: quoted, truncated, on one line. */
export function quoteValue(value: unknown): string {
  const text = typeof value === 'string' ? value : formatManifestValue(value as Plain | undefined)
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text
  return `"${short.replace(/[\n\r\t]+/g, ' ')}"`
}

/** Names the type of a value for a message. */
export function describeType(value: Plain | undefined): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a table'
  if (typeof value === 'string') return 'a string'
  return typeof value === 'number' ? 'a number' : 'true or false'
}

/** Edit that replaces a value in skill.toml. */
export function replaceTomlValue(
  skill: LintedSkill,
  path: readonly (string | number)[],
  text: string,
): LintEdit[] {
  const span = skill.toml?.locate(path)
  // An empty span means that the position is unknown.
  return span && span.end > span.start ? [{ kind: 'replace', file: 'skill.toml', span, text }] : []
}

/** Formats a TOML basic string. */
export function toTomlString(text: string): string {
  return JSON.stringify(text)
}

/** Finds the file at a path of the skill, following a link if its target is inside. */
export function findFile({ files }: LintedSkill, path: string): SkillFile | undefined {
  const found = files.find((file) => file.path === path)
  const { target } = found ?? {}
  return target === undefined ? found : files.find((file) => file.path === target)
}

/** Facts about the entrypoint, if it is a Python file that parses. */
export function getEntrypointFacts(
  skill: LintedSkill,
): { file: string; facts: PythonFacts; called: PythonFunction | undefined } | undefined {
  const { runtime } = skill.manifest
  if (runtime?.language !== 'python' || !runtime.entrypoint) return undefined
  const facts = skill.getPythonFacts(runtime.entrypoint)
  if (!facts || facts.problem) return undefined
  const called = facts.functions.findLast((each) => each.name === runtime.export && !each.guarded)
  return { file: runtime.entrypoint, facts, called }
}

/** Lists the Python files that parse, with their facts. */
export function listParsedPython(skill: LintedSkill): { file: string; facts: PythonFacts }[] {
  if (skill.manifest.runtime?.language !== 'python') return []
  const found: { file: string; facts: PythonFacts }[] = []
  for (const { path, type } of skill.files) {
    const facts = type === 'file' && path.endsWith('.py') ? skill.getPythonFacts(path) : undefined
    if (facts && !facts.problem) found.push({ file: path, facts })
  }
  return found
}

/** Name of the skill, if it is valid. */
export function getValidName(skill: LintedSkill): string | undefined {
  const { name } = skill.manifest
  return isSkillName(name) ? name : undefined
}

/** Yields text files with their contents; the file name decides, since that needs no reading. */
export function* readTextFiles(skill: LintedSkill): Generator<{ file: string; text: string }> {
  for (const { path, type, size } of skill.files) {
    if (type !== 'file' || size > MAX_SCANNED || !isTextName(path) || isVendored(path)) continue
    const text = skill.read(path)
    if (text !== undefined && !text.includes('\0')) yield { file: path, text }
  }
}

const MAX_SCANNED = 512 * 1024
const TEXT_NAME =
  /(?:^|\/)(?:[^./]+|[^/]*\.(?:md|toml|py|txt|json|ya?ml|sh|bash|js|mjs|ts|csv|html|css|xml|ini|cfg|sql|rst))$/i

function isTextName(path: string): boolean {
  return TEXT_NAME.test(path)
}

/**
 * True for the manifests and the code of an action skill. Formatters are responsible for the layout
 * of other files, in which blanks may be data.
 */
export function isOwnText(skill: LintedSkill, file: string): boolean {
  if (file === 'SKILL.md' || file === 'skill.toml') return true
  return skill.manifest.kind === 'action' && file.startsWith('code/') && file.endsWith('.py')
}
