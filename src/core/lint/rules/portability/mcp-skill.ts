import { createExampleMarkdown } from '../../example-skill.ts'
import { findUnsupportedYaml } from '../../yaml/plain-yaml.ts'
import type { LintedSkill, ReportFinding, Rule } from '../../rule.ts'
import { countCharacters, describeAgentNameProblem } from '../../agent-skill.ts'
import {
  getFrontMatter,
  hasProblemAt,
  locateInFrontMatter,
  describeType,
  quoteValue,
} from '../../skill-facts.ts'

const MAX_NAME = 64
const MAX_DESCRIPTION = 1024

export const MCP_SKILL: Rule = {
  id: 'portability/mcp-skill',
  severity: 'info',
  what: 'The MCP skills extension cannot serve a front matter that other rules accept',
  why: 'skills mcp does not offer the skill as resources; its tools still run it.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: "Greets somebody\n  by name."\n',
      ),
    },
    good: {},
  },
  fix: 'Use a name of lower-case letters, digits and single hyphens, a description, and plain YAML.',
  check(skill, reportNotice) {
    const data = getFrontMatter(skill)
    if (!data || !skill.profiles.includes('mcp')) return
    const isRequested = skill.requestedProfiles.includes('mcp')
    const report: ReportFinding = (finding) =>
      reportNotice(isRequested ? { ...finding, severity: 'error' } : finding)
    const name = describeMcpNameProblem(data['name'])
    if (name && !isNameReported(skill))
      report({ ...locateInFrontMatter(skill, ['name']), ...createMcpFinding(name, NAME_HELP) })
    const description = describeMcpTextProblem(data['description'])
    if (description && !isDescriptionReported(skill)) {
      report({
        ...locateInFrontMatter(skill, ['description']),
        ...createMcpFinding(description, TEXT_HELP),
      })
    }
    checkYaml(skill, report)
  },
}

const NAME_HELP = 'Write a name such as: csv-summary'
const TEXT_HELP = 'Describe in a few sentences what the skill does and when to use it'

/** True if a rule of plain Agent Skills reports the same name. */
function isNameReported(skill: LintedSkill): boolean {
  if (!skill.profiles.includes('agent-skills')) return false
  const name = getFrontMatter(skill)?.['name']
  if (typeof name !== 'string' || describeAgentNameProblem(name) !== undefined) return true
  return !skill.toml && hasProblemAt(skill, 'SKILL.md', ['name'])
}

/** True if a rule of plain Agent Skills reports the same description. */
function isDescriptionReported(skill: LintedSkill): boolean {
  if (!skill.profiles.includes('agent-skills')) return false
  const description = getFrontMatter(skill)?.['description']
  if (typeof description !== 'string') return true
  return description.trim() === '' || countCharacters(description) > MAX_DESCRIPTION
}

function createMcpFinding(problem: string, help: string): { message: string; help: string } {
  return { message: `MCP omits the skill: ${problem}`, help }
}

function describeMcpNameProblem(name: unknown): string | undefined {
  if (name === undefined) return 'the front matter has no "name"'
  if (typeof name !== 'string')
    return `the name is ${describeType(name as never)}, expected a string`
  const isName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= MAX_NAME
  if (isName) return undefined
  return `the name ${quoteValue(name)} is not 1 to ${MAX_NAME} lower-case letters, digits and single hyphens`
}

function describeMcpTextProblem(text: unknown): string | undefined {
  if (text === undefined) return 'the front matter has no "description"'
  if (typeof text !== 'string')
    return `the description is ${describeType(text as never)}, expected a string`
  const { length } = [...text]
  if (length >= 1 && length <= MAX_DESCRIPTION) return undefined
  return `the description has ${length} characters, expected 1 to ${MAX_DESCRIPTION}`
}

function checkYaml({ markdown }: LintedSkill, report: ReportFinding): void {
  if (!markdown) return
  const { start, end } = markdown.frontMatter.span
  const block = markdown.text.slice(start, end)
  const first = block.indexOf('\n') + 1
  if (!/^---\r?\n$/.test(block.slice(0, first))) {
    const problem = 'the first line of the front matter is not "---" alone'
    const span = { start, end: start + 3 }
    report({ file: 'SKILL.md', span, ...createMcpFinding(problem, 'Write "---" alone') })
  }
  const last = block.trimEnd().lastIndexOf('\n') + 1
  const found = findUnsupportedYaml(block.slice(first, last))
  if (!found) return
  const from = start + first
  report({
    file: 'SKILL.md',
    span: { start: from + found.span.start, end: from + found.span.end },
    ...createMcpFinding(
      `MCP clients do not support ${found.description} in the front matter`,
      'Write plain values',
    ),
  })
}
