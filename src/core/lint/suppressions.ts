import type { LineIndex } from '../../util/line-index.ts'
import type { Span } from '../skills/manifest/source.ts'

/** A comment that turns off rules for a line or a file. */
export interface Suppression {
  rules: readonly { id: string; span: Span }[]
  /** The affected line; undefined for the whole file. */
  line: number | undefined
  span: Span
  /** Rules of which it suppressed a finding. */
  used: Set<string>
}

const DIRECTIVE = /skills-lint-disable(-next-line|-line)?(?![\w-])([^\n]{0,500})/g

/** Limit on suppressions per file, since each finding is compared with all of them. */
const MAX_COMMENTS = 500

/** Finds `skills-lint-disable…` comments; a text without the word costs one search. */
export function findSuppressions(file: string, lines: LineIndex): Suppression[] {
  const { text } = lines
  if (!text.includes('skills-lint-disable')) return []
  const found: Suppression[] = []
  for (const match of text.matchAll(DIRECTIVE)) {
    if (found.length === MAX_COMMENTS) break
    const { line } = lines.positionAt(match.index)
    if (!endsInCommentStart(file, text.slice(lines.getLineStart(line), match.index))) continue
    const kind = match[1]
    found.push({
      rules: parseRuleNames(
        match[2] ?? '',
        match.index + 'skills-lint-disable'.length + (kind?.length ?? 0),
      ),
      line: kind === '-next-line' ? line + 1 : kind === '-line' ? line : undefined,
      span: {
        start: match.index,
        end: match.index + match[0].replace(/\s*(?:-->.*)?$/, '').length,
      },
      used: new Set(),
    })
  }
  return found
}

function endsInCommentStart(file: string, lead: string): boolean {
  return /\.(?:md|markdown)$/i.test(file) ? /<!--\s*$/.test(lead) : /#\s*$/.test(lead)
}

/** Parses rule names up to a reason (`-- because …`) or the end of the comment. */
function parseRuleNames(rest: string, base: number): { id: string; span: Span }[] {
  const end = rest.search(/\s--(?:\s|>|$)|-->/)
  const names = end === -1 ? rest : rest.slice(0, end)
  return [...names.matchAll(/[^\s,]+/g)].map((match) => ({
    id: match[0],
    span: { start: base + match.index, end: base + match.index + match[0].length },
  }))
}

/** Suppressions of a file by line; marks those that suppress a finding as used. */
export class SuppressionIndex {
  readonly suppressions: readonly Suppression[]
  readonly #byLine = new Map<number | undefined, Suppression[]>()
  readonly #wholeFile = new Map<string, boolean>()

  constructor(suppressions: readonly Suppression[]) {
    this.suppressions = suppressions
    for (const each of suppressions) {
      const group = this.#byLine.get(each.line)
      if (group) group.push(each)
      else this.#byLine.set(each.line, [each])
    }
  }

  applySuppression(rule: string, line: number | undefined): boolean {
    if (this.suppressions.length === 0) return false
    let whole = this.#wholeFile.get(rule)
    if (whole === undefined) {
      whole = markFirstMatch(this.#byLine.get(undefined), rule)
      this.#wholeFile.set(rule, whole)
    }
    return whole || (line !== undefined && markFirstMatch(this.#byLine.get(line), rule))
  }
}

function markFirstMatch(suppressions: readonly Suppression[] | undefined, rule: string): boolean {
  const area = rule.split('/')[0] as string
  for (const suppression of suppressions ?? []) {
    const named = suppression.rules.find(({ id }) => id === rule || id === area)
    if (suppression.rules.length > 0 && !named) continue
    suppression.used.add(named?.id ?? '')
    return true
  }
  return false
}
