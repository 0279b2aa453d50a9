import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import type { LineIndex } from '../../../util/line-index.ts'
import type { Span } from '../../skills/manifest/source.ts'

/** A comment that turns off rules for a line, a code block, a file or a path. */
export interface Suppression {
  rules: readonly { id: string; span: Span }[]
  scope: SuppressionScope
  span: Span
  /** Text after `--`. */
  reason: string | undefined
  /** Rules of which it suppressed a finding. */
  used: Set<string>
}

/** `last` is the end of a code block. A path is relative to the skill. */
type SuppressionScope =
  | { kind: 'next-line' | 'line'; line: number; last: number }
  | { kind: 'file' }
  | { kind: 'path'; path: string }

const DIRECTIVE = /skills-lint-disable(-next-line|-line|-path)?(?![\w-])([^\n]{0,500})/g

/** Limit on suppressions per file, since each finding is compared with all of them. */
const MAX_COMMENTS = 500

/** Files whose comments may name other paths of the skill. */
const MANIFESTS = ['skill.toml', 'SKILL.md']

/** Finds `skills-lint-disable…` comments; a text without the word costs one search. */
export function findSuppressions(file: string, lines: LineIndex): Suppression[] {
  const { text } = lines
  if (!text.includes('skills-lint-disable')) return []
  const isMarkdown = /\.(?:md|markdown)$/i.test(file)
  const yamlEnd = isMarkdown ? readMarkdown(file, text).bodyStart : 0
  const found: Suppression[] = []
  for (const match of text.matchAll(DIRECTIVE)) {
    if (found.length === MAX_COMMENTS) break
    const { line } = lines.positionAt(match.index)
    const lead = text.slice(lines.getLineStart(line), match.index)
    const markdown = match.index < yamlEnd ? YAML_COMMENT : HTML_COMMENT
    const isComment = (isMarkdown ? markdown : CODE_COMMENT).test(lead)
    const suppression = isComment ? parseDirective(match, line) : undefined
    if (!suppression || !isAllowedIn(file, suppression)) continue
    found.push(isMarkdown ? extendOverFence(lines, suppression) : suppression)
  }
  return found
}

function isAllowedIn(file: string, { scope }: Suppression): boolean {
  return scope.kind !== 'path' || MANIFESTS.includes(file)
}

/** Parses a directive; undefined if it lacks its path. */
function parseDirective(match: RegExpExecArray, line: number): Suppression | undefined {
  const [whole, kind = '', rest = ''] = match
  const path = kind === '-path' ? parsePath(rest) : undefined
  if (kind === '-path' && !path) return undefined
  const skipped = path?.length ?? 0
  const start = match.index + whole.length - rest.length + skipped
  return {
    rules: parseRuleNames(rest.slice(skipped), start),
    reason: /\s--\s+(.*?)\s*(?:-->.*|\*\/.*)?$/.exec(rest)?.[1],
    scope: path ? { kind: 'path', path: path.value } : toScope(kind, line),
    span: {
      start: match.index,
      end: match.index + whole.replace(/\s*(?:(?:-->|\*\/).*)?$/, '').length,
    },
    used: new Set(),
  }
}

const HTML_COMMENT = /<!--\s*$/
const YAML_COMMENT = /#\s*$/
const CODE_COMMENT = /(?:#|\/\/|\/\*|<!--)\s*$/

function toScope(kind: string, line: number): SuppressionScope {
  if (kind === '-next-line') return { kind: 'next-line', line: line + 1, last: line + 1 }
  return kind === '-line' ? { kind: 'line', line, last: line } : { kind: 'file' }
}

/** A comment before a fence of Markdown covers the whole code block, which has no comments. */
function extendOverFence(lines: LineIndex, suppression: Suppression): Suppression {
  const { scope } = suppression
  if (scope.kind !== 'next-line') return suppression
  const fence = /^\s*(`{3,}|~{3,})/.exec(lines.getLine(scope.line))?.[1]
  if (fence === undefined) return suppression
  for (let last = scope.line + 1; last <= lines.lineCount; last += 1) {
    const text = lines.getLine(last).trim()
    const isClosing = text.startsWith(fence) && text === (fence[0] as string).repeat(text.length)
    if (isClosing || last === lines.lineCount) return { ...suppression, scope: { ...scope, last } }
  }
  return suppression
}

/** Parses a path, which is a JSON string if it contains blanks. */
function parsePath(rest: string): { value: string; length: number } | undefined {
  const written = /^\s+("(?:[^"\\]|\\.)*"|[^\s"]\S*)/.exec(rest)
  if (!written?.[1]) return undefined
  if (!written[1].startsWith('"')) return { value: written[1], length: written[0].length }
  try {
    return { value: JSON.parse(written[1]) as string, length: written[0].length }
  } catch {
    return undefined
  }
}

/** Parses rule names up to a reason (`-- because …`) or the end of the comment. */
function parseRuleNames(rest: string, base: number): { id: string; span: Span }[] {
  const end = rest.search(/\s--(?:\s|>|$)|-->|\*\//)
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
  readonly #wholeFile = new Map<string, Suppression | undefined>()

  constructor(suppressions: readonly Suppression[]) {
    this.suppressions = suppressions
    for (const each of suppressions) {
      if (each.scope.kind === 'file') this.#add(undefined, each)
      else if (each.scope.kind !== 'path') {
        for (let line = each.scope.line; line <= each.scope.last; line += 1) this.#add(line, each)
      }
    }
  }

  #add(line: number | undefined, suppression: Suppression): void {
    const group = this.#byLine.get(line)
    if (group) group.push(suppression)
    else this.#byLine.set(line, [suppression])
  }

  /** Finds the comment that suppresses a rule on a line, and marks it as used. */
  applySuppression(rule: string, line: number | undefined): Suppression | undefined {
    if (this.suppressions.length === 0) return undefined
    if (!this.#wholeFile.has(rule)) {
      this.#wholeFile.set(rule, markFirstMatch(this.#byLine.get(undefined), rule))
    }
    const whole = this.#wholeFile.get(rule)
    return whole ?? (line === undefined ? undefined : markFirstMatch(this.#byLine.get(line), rule))
  }
}

/** Finds the comment of a manifest that suppresses a rule for a path, and marks it as used. */
export function applyPathSuppression(
  suppressions: readonly Suppression[],
  path: string,
  rule: string,
): Suppression | undefined {
  const ofPath = suppressions.filter(({ scope }) => scope.kind === 'path' && scope.path === path)
  return markFirstMatch(ofPath, rule)
}

function markFirstMatch(
  suppressions: readonly Suppression[] | undefined,
  rule: string,
): Suppression | undefined {
  const area = rule.split('/')[0] as string
  for (const suppression of suppressions ?? []) {
    const named = suppression.rules.find(({ id }) => id === rule || id === area)
    if (suppression.rules.length > 0 && !named) continue
    suppression.used.add(named?.id ?? '')
    return suppression
  }
  return undefined
}
