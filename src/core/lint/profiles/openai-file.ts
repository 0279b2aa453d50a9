import { findNearest } from '../../../util/find-nearest.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { describeType, quoteValue, toTable } from '../skill-facts.ts'
import type { LintedSkill } from '../rule.ts'
import type { HostProblem, ValueCheck } from './host.ts'
import { checkFlag, checkTable, checkText, createTextCheck } from './value-checks.ts'

/** Optional file with the appearance and the policy of a skill in Codex. */
const FILE = 'agents/openai.yaml'

const checkColor: ValueCheck = (value) =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
    ? undefined
    : { message: `is ${quoteValue(value)}, expected a color such as "#3B82F6"` }

/** An icon is a file below assets/. */
const checkIcon: ValueCheck = (value, skill) => {
  if (typeof value !== 'string') return checkText(value, skill)
  const path = value.replace(/^\.\//, '')
  if (!path.startsWith('assets/') || path.split('/').includes('..'))
    return { message: `is ${quoteValue(value)}, expected a path below assets/` }
  return skill.files.some((file) => file.path === path)
    ? undefined
    : { message: `is ${quoteValue(value)}, which does not exist`, help: `Add the file ${path}` }
}

const checkProducts: ValueCheck = (value) =>
  Array.isArray(value) ? undefined : { message: `is ${describeType(value)}, expected a list` }

/** Tables of the file with their keys. */
const TABLES: Readonly<Record<string, Readonly<Record<string, ValueCheck>>>> = {
  interface: {
    display_name: createTextCheck(64),
    short_description: createTextCheck(1024),
    icon_small: checkIcon,
    icon_large: checkIcon,
    brand_color: checkColor,
    default_prompt: createTextCheck(1024),
  },
  policy: { allow_implicit_invocation: checkFlag, products: checkProducts },
  dependencies: { tools: checkProducts },
}

/** Keys of an entry of dependencies.tools; the first two are required. */
const TOOL_KEYS = ['type', 'value', 'description', 'transport', 'command', 'url']

/** Finds values of agents/openai.yaml that Codex ignores or refuses. */
export function findOpenAiFileProblems(skill: LintedSkill): HostProblem[] {
  const source = readOpenAiFile(skill)
  if (!source) return []
  const { problem, data } = source.frontMatter
  if (problem) return [{ file: FILE, path: [], message: `is not valid YAML: ${problem.message}` }]
  const found: HostProblem[] = findUnknownKeys(data, [], Object.keys(TABLES))
  for (const [name, keys] of Object.entries(TABLES)) {
    if (data[name] === undefined) continue
    const wrong = checkTable(data[name], skill)
    if (wrong) found.push({ file: FILE, path: [name], ...wrong })
    const table = toTable(data[name])
    found.push(...findUnknownKeys(table, [name], Object.keys(keys)))
    for (const [key, check] of Object.entries(keys)) {
      const refused = table[key] === undefined ? undefined : check(table[key], skill)
      if (refused) found.push({ file: FILE, path: [name, key], ...refused })
    }
  }
  return [...found, ...findToolProblems(toTable(data['dependencies'])['tools'])]
}

/** Reads the file like front matter, whose positions it shares: the fence becomes a first line. */
function readOpenAiFile(skill: LintedSkill) {
  const text = skill.read(FILE)
  return text === undefined ? undefined : readMarkdown(FILE, `${FENCE}${text}\n---\n`)
}

const FENCE = '---\n'

/** Span of a path in the file. */
export function locateInOpenAiFile(
  skill: LintedSkill,
  path: readonly (string | number)[],
  what: 'key' | 'value',
) {
  const span = readOpenAiFile(skill)?.frontMatter.locate(path, what)
  if (!span || path.length === 0 || span.start < FENCE.length) return undefined
  return { start: span.start - FENCE.length, end: span.end - FENCE.length }
}

function findUnknownKeys(
  table: Readonly<Record<string, Plain>>,
  path: readonly (string | number)[],
  known: readonly string[],
): HostProblem[] {
  return Object.keys(table)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const guess = findNearest(key, known)
      return {
        file: FILE,
        path: [...path, key],
        what: 'key',
        message: `is not a key that it reads, expected one of ${known.join(', ')}`,
        help: guess ? `Did you mean "${guess}"?` : 'Remove it',
        severity: 'warning',
      }
    })
}

function findToolProblems(tools: Plain | undefined): HostProblem[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: Plain, index): HostProblem[] => {
    const path = ['dependencies', 'tools', index]
    const table = toTable(tool)
    const missing = TOOL_KEYS.slice(0, 2).filter((key) => typeof table[key] !== 'string')
    return [
      ...missing.map((key) => ({
        file: FILE,
        path,
        message: `needs a "${key}", expected a string`,
      })),
      ...findUnknownKeys(table, path, TOOL_KEYS),
    ]
  })
}
