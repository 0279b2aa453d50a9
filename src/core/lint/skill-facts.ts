import { isSkillName } from '../skills/manifest/fields.ts'
import type { Plain, PlainObject } from '../skills/manifest/manifest.ts'
import { formatManifestValue } from '../skills/manifest/non-finite.ts'
import type { SkillFile, Span } from '../skills/manifest/source.ts'
import type { ManifestProblem } from '../skills/manifest/to-manifest.ts'
import type { PythonFacts, PythonFunction } from './python/facts.ts'
import type { LintEdit, LintedSkill } from './rule.ts'
import { isVendored } from './vendored.ts'

/** skill.toml's values; undefined where there is no such file or it does not parse. */
export function getToml(skill: LintedSkill): PlainObject | undefined {
  return skill.toml && !skill.toml.problem ? skill.toml.data : undefined
}

/** A table of skill.toml; empty where it is missing or something else. */
export function getTable(skill: LintedSkill, key: string): PlainObject {
  return toTable(getToml(skill)?.[key])
}

export function toTable(value: Plain | undefined): PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

/** Whether the skill cannot be used because of a key, however that is written. */
export function hasProblemAt(
  { problems }: LintedSkill,
  file: ManifestProblem['file'],
  path: readonly string[],
): boolean {
  return problems.some((each) => each.file === file && each.path.join('.') === path.join('.'))
}

/** SKILL.md's front matter; undefined where it is missing or does not parse. */
export function getFrontMatter(skill: LintedSkill): PlainObject | undefined {
  const block = skill.markdown?.frontMatter
  return block?.present && !block.problem ? block.data : undefined
}

/** The span of something in skill.toml. */
export function locateInToml(
  skill: LintedSkill,
  path: readonly (string | number)[],
  what?: 'key' | 'value',
): { file: string; span: Span | undefined } {
  return { file: 'skill.toml', span: skill.toml?.locate(path, what) }
}

/** The span of something in SKILL.md's front matter. */
export function locateInFrontMatter(
  skill: LintedSkill,
  path: readonly (string | number)[],
  what?: 'key' | 'value',
): { file: string; span: Span | undefined } {
  return { file: 'SKILL.md', span: skill.markdown?.frontMatter.locate(path, what) }
}

/** A value as it may stand in a message: quoted, short, on one line. */
export function quoteValue(value: unknown): string {
  const text = typeof value === 'string' ? value : formatManifestValue(value as Plain | undefined)
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text
  return `"${short.replace(/[\n\r\t]+/g, ' ')}"`
}

/** What kind of value it is, in a person's words. */
export function describeType(value: Plain | undefined): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a table'
  if (typeof value === 'string') return 'a text'
  return typeof value === 'number' ? 'a number' : 'true or false'
}

/** An edit that puts another value in place of one in skill.toml. */
export function replaceTomlValue(
  skill: LintedSkill,
  path: readonly (string | number)[],
  text: string,
): LintEdit[] {
  const span = skill.toml?.locate(path)
  // An empty span says that the place is not known.
  return span && span.end > span.start ? [{ kind: 'replace', file: 'skill.toml', span, text }] : []
}

/** A TOML basic string. */
export function toTomlString(text: string): string {
  return JSON.stringify(text)
}

/** What stands at a path of the skill; a link that stays inside is followed. */
export function findFile({ files }: LintedSkill, path: string): SkillFile | undefined {
  const found = files.find((file) => file.path === path)
  const { target } = found ?? {}
  return target === undefined ? found : files.find((file) => file.path === target)
}

/** Python's view of the entrypoint, where it is a Python file that parses. */
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

/** Every Python file of the skill that parses, with what Python says of it. */
export function listParsedPython(skill: LintedSkill): { file: string; facts: PythonFacts }[] {
  if (skill.manifest.runtime?.language !== 'python') return []
  const found: { file: string; facts: PythonFacts }[] = []
  for (const { path, type } of skill.files) {
    const facts = type === 'file' && path.endsWith('.py') ? skill.getPythonFacts(path) : undefined
    if (facts && !facts.problem) found.push({ file: path, facts })
  }
  return found
}

/** The skill's name where it is one. */
export function getValidName(skill: LintedSkill): string | undefined {
  const { name } = skill.manifest
  return isSkillName(name) ? name : undefined
}

/** Text files with their contents, the cheapest way to look at everything a person may have typed. */
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
