import type { Rule, RuleExample } from '../../core/lint/rule.ts'
import { findRule } from '../../core/lint/settings.ts'
import { EXAMPLE_SKILL } from '../../core/lint/example-skill.ts'
import { formatBytes } from '../../util/quantity.ts'
import { toPrintableLines } from '../../util/printable.ts'
import { createUnifiedDiff } from '../../util/unified-diff.ts'
import { wrapForTerminal, type Context } from '../context.ts'

/** Explains one rule, as text or as a document. */
export function explainRule(context: Context, id: string): number {
  const rule = findRule(id)
  if (context.global.json) {
    context.document('skills.rule/v1', { rule: toRuleRecord(rule) })
    return 0
  }
  const { style } = context
  const part = (title: string, text: string) => `${style.bold(title)}\n${indentText(text)}`
  const page = [
    `${style.bold(rule.id)}  ${rule.severity}${rule.fixable ? `, ${describeFix(rule)}` : ''}`,
    part('What', `${rule.what}.`),
    part('Why', rule.why),
    part('Example', diffExample(rule)),
    part('How to fix it', rule.fix),
    part(
      'How to turn it off',
      `skills lint --rule ${rule.id}=off, or under [lint.rules] in skills.config.toml:\n"${rule.id}" = "off"`,
    ),
  ].join('\n\n')
  context.print(wrapForTerminal(page, context.stdout))
  return 0
}

/** A rule as data. */
export function toRuleRecord(rule: Rule) {
  return {
    id: rule.id,
    area: rule.id.split('/')[0],
    severity: rule.severity,
    fixable: rule.fixable ?? null,
    needs_python: rule.needsPython === true,
    what: rule.what,
    why: rule.why,
    fix: rule.fix,
    example: { bad: readExampleTexts(rule.example.bad), good: readExampleTexts(rule.example.good) },
  }
}

function describeFix(rule: Rule): string {
  return rule.fixable === 'safe' ? 'fixed by --fix' : 'fixed by --fix-unsafe'
}

/** Longer texts are described: their content is repeated lines. */
const MAX_EXAMPLE = 20_000

function describeLongText(text: string): string {
  return `a file of ${formatBytes(Buffer.byteLength(text))}`
}

/** Diff from the bad example's files to the good one's. */
function diffExample({ example: { bad, good } }: Rule): string {
  const parts: string[] = []
  for (const path of Object.keys(bad).slice(0, 3)) {
    const badFile = bad[path]
    if (typeof badFile === 'object' && badFile !== null)
      parts.push(`${path}: ${describeFile(badFile)}`)
    else if (badFile !== null && badFile !== undefined && badFile.length > MAX_EXAMPLE)
      parts.push(`${path}: ${describeLongText(badFile)}`)
    else {
      const right = path in good ? good[path] : EXAMPLE_SKILL[path]
      parts.push(
        createUnifiedDiff(
          path,
          badFile ?? undefined,
          typeof right === 'string' ? right : undefined,
        ),
      )
    }
  }
  const shown = parts.filter(Boolean).join('\n').split('\n').slice(0, 40)
  return toPrintableLines(
    shown.map((line) => (line.length > 160 ? `${line.slice(0, 157)}…` : line)).join('\n'),
  )
}

function describeFile(file: Exclude<RuleExample[string], string | null | undefined>): string {
  if (file.fifo) return 'a named pipe'
  if (file.folder) return 'an empty folder'
  if (file.symlink !== undefined) return `a symbolic link to ${file.symlink}`
  if (file.mode !== undefined) return `a file with mode ${file.mode.toString(8).padStart(4, '0')}`
  return 'a file with bytes that are not text'
}

function readExampleTexts(example: RuleExample): Record<string, string | null> {
  const texts: Record<string, string | null> = {}
  for (const [path, content] of Object.entries(example).slice(0, 5)) {
    if (typeof content === 'object' && content !== null) texts[path] = describeFile(content)
    else if (content !== null && content.length > MAX_EXAMPLE)
      texts[path] = describeLongText(content)
    else texts[path] = content
  }
  return texts
}

function indentText(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}
