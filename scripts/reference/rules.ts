import { EXAMPLE_SKILL } from '../../src/core/lint/example-skill.ts'
import { AREAS, type Rule, type RuleExample } from '../../src/core/lint/rule.ts'
import { RULES } from '../../src/core/lint/rules/index.ts'
import {
  code,
  codeBlock,
  escapeText,
  list,
  renderPage,
  sentence,
  showInvisible,
  table,
  type Pages,
} from './markdown.ts'

/** An example shows this many files, and this much of each. */
const MAX_FILES = 3
const MAX_LINES = 40
const MAX_COLUMNS = 160

/** rules/index.md and rules/<area>/<rule>.md. */
export function renderRules(): Pages {
  const pages = RULES.map((rule) => [`rules/${rule.id}.md`, renderRule(rule)] as const)
  return new Map([['rules/index.md', renderIndex()], ...pages])
}

function renderIndex(): string {
  const areas = AREAS.flatMap((area) => {
    const rules = RULES.filter((rule) => getArea(rule) === area)
    const rows = rules.map((rule) => [
      `[${code(rule.id)}](${rule.id}.md)`,
      rule.severity,
      rule.fixable === undefined ? '' : code(getFixFlag(rule)),
      sentence(rule.what),
    ])
    return [`## ${area}`, table(['Rule', 'Severity', 'Fix', 'What'], rows)]
  })
  return renderPage('Lint rules', [
    '`skills lint --rules` lists the rules in a terminal, `skills lint --explain <rule>` prints the page of one rule.',
    ...areas,
  ])
}

function renderRule(rule: Rule): string {
  const { bad, good } = rule.example
  const examples = [...showExample(bad, bad), '## Good example', ...showExample(good, bad)]
  return renderPage(rule.id, [
    sentence(rule.what),
    list([
      `Severity: ${rule.severity}`,
      `Fix: ${rule.fixable === undefined ? 'by hand' : `by ${code(`skills lint ${getFixFlag(rule)}`)}`}`,
      rule.needsPython ? 'Needs Python on this machine' : undefined,
    ]),
    '## Why',
    sentence(rule.why),
    '## Bad example',
    ...examples,
    describeMarks(examples.join('\n')),
    '## How to fix it',
    sentence(rule.fix),
    '## How to turn it off',
    `On the command line: ${code(`skills lint --rule ${rule.id}=off`)}. In \`skills.config.toml\`:`,
    codeBlock(`[lint.rules]\n"${rule.id}" = "off"`, 'toml'),
    `[All rules](../index.md#${getArea(rule)})`,
  ])
}

/** Files of an example: those that it names, and those of the sample skill that the bad one changes. */
function showExample(example: RuleExample, bad: RuleExample): string[] {
  const fromSample = Object.keys(bad).filter((path) => !(path in example) && path in EXAMPLE_SKILL)
  const files = [
    ...Object.entries(example),
    ...fromSample.map((path) => [path, EXAMPLE_SKILL[path] as string] as const),
  ]
  if (files.length === 0) return showAbsent(Object.keys(bad))
  const [present, absent] = [
    files.filter(([, each]) => each !== null),
    files.filter(([, each]) => each === null),
  ]
  const shown = present.slice(0, MAX_FILES).flatMap(([path, content]) => showFile(path, content))
  const rest = present.length - MAX_FILES
  if (rest > 0) shown.push(`${rest} more ${rest === 1 ? 'file' : 'files'}.`)
  return [...shown, ...showAbsent(absent.map(([path]) => path))]
}

function showAbsent(paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  const names = paths.map((path) => code(showInvisible(path))).join(', ')
  return [`${names} ${paths.length === 1 ? 'does' : 'do'} not exist.`]
}

function showFile(path: string, content: RuleExample[string]): string[] {
  const name = code(showInvisible(path))
  if (content === null) return showAbsent([path])
  if (typeof content !== 'string') return [`${name} ${describeSpecial(content)}.`]
  if (content === '') return [`${name} is empty.`]
  const end = content.endsWith('\n') ? '' : ', without a newline at the end'
  return [`${name}${end}:`, codeBlock(shorten(showInvisible(content)), detectLanguage(path))]
}

function describeSpecial(file: Exclude<RuleExample[string], string | null>): string {
  if (file.fifo) return 'is a named pipe'
  if (file.folder) return 'is an empty folder'
  if (file.symlink !== undefined) return `is a symbolic link to ${code(file.symlink)}`
  if (file.mode !== undefined) return `has mode ${code(file.mode.toString(8).padStart(4, '0'))}`
  return 'has bytes that are not UTF-8 text'
}

function shorten(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n')
  const cut = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS - 1)}…` : line))
  const rest = lines.length - MAX_LINES
  return rest > 0 ? `${cut.join('\n')}\n… ${rest} more lines` : cut.join('\n')
}

/** Explains the characters that stand for invisible ones, where an example has any. */
function describeMarks(examples: string): string | undefined {
  const marks = [
    examples.includes('·') ? '`·` is a space or a tab at the end of a line' : undefined,
    examples.includes('\\r\n') ? '`\\r` is a carriage return' : undefined,
    /\\u[0-9a-f]{4}/.test(examples)
      ? '`\\u` and four digits are a character by its code'
      : undefined,
  ].filter((mark) => mark !== undefined)
  return marks.length === 0 ? undefined : escapeText(`In these examples, ${marks.join(', ')}.`)
}

function detectLanguage(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1)
  return LANGUAGES[extension] ?? 'text'
}

const LANGUAGES: Readonly<Record<string, string>> = {
  js: 'js',
  json: 'json',
  md: 'md',
  py: 'python',
  sh: 'sh',
  toml: 'toml',
  ts: 'ts',
  yaml: 'yaml',
  yml: 'yaml',
}

function getFixFlag(rule: Rule): string {
  return rule.fixable === 'safe' ? '--fix' : '--fix-unsafe'
}

function getArea({ id }: Rule): string {
  return id.slice(0, id.indexOf('/'))
}
