import { LineIndex } from '../../../util/line-index.ts'
import type { Finding } from '../finding.ts'
import type { LintedSkill } from '../rule.ts'
import { findSuppressions, type Suppression } from './suppressions.ts'
import {
  type CommentSyntax,
  findFileFamily,
  getCommentSyntax,
  HASH_COMMENT,
} from './comment-syntax.ts'
import { countHeadLines, createPlaceFinder } from './find-place.ts'
import { findBlockStart, type MarkdownParser } from './markdown-place.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'

/** More findings of one rule in a file share one comment. */
const MAX_LINE_COMMENTS = 20

/** Comment that a finding needs. */
type PlannedComment =
  | { kind: '-next-line' | '-line'; file: string; line: number }
  | { kind: ''; file: string }
  | { kind: '-path'; file: string; path: string }

/** Scope of a comment; a wider one is tried if a narrower one did not suppress the finding. */
export type SuppressionAttempt = 'line' | 'file' | 'path'

interface SuppressionPlan {
  /** Changed texts by file. */
  texts: Map<string, string>
  /** Files whose findings on lines have to be planned again with the changed text. */
  postponed: Set<string>
}

/** Adds comments for findings of one skill. */
export function planSuppressions(
  skill: LintedSkill,
  findings: readonly { finding: Finding; attempt: SuppressionAttempt }[],
  parseMarkdown: MarkdownParser,
): SuppressionPlan {
  const counts = countByFileAndRule(findings.map(({ finding }) => finding))
  const groups = new Map<string, { comment: PlannedComment; rules: Set<string> }>()
  const planners = new Map<string, FilePlanner | undefined>()
  for (const { finding, attempt } of findings) {
    const { file, rule } = finding
    if (!planners.has(file)) planners.set(file, createFilePlanner(skill, file, parseMarkdown))
    const isFrequent = (counts.get(`${file}\0${rule}`) ?? 0) > MAX_LINE_COMMENTS
    const plan = planners.get(file)
    const comment =
      attempt === 'path' || !plan
        ? planPathComment(skill, file)
        : plan(attempt === 'file' || isFrequent ? undefined : finding.start?.line)
    if (!comment) continue
    const key = JSON.stringify(comment)
    const group = groups.get(key) ?? { comment, rules: new Set() }
    group.rules.add(rule)
    groups.set(key, group)
  }
  return insertComments(skill, [...groups.values()])
}

function countByFileAndRule(findings: readonly Finding[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { file, rule } of findings) {
    const key = `${file}\0${rule}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Plans a comment for a line of a file; without a line, for the whole file. */
type FilePlanner = (line: number | undefined) => PlannedComment

function createFilePlanner(
  skill: LintedSkill,
  file: string,
  parseMarkdown: MarkdownParser,
): FilePlanner | undefined {
  const text = skill.read(file)
  const family = text === undefined ? undefined : findFileFamily(file, text)
  if (text === undefined || !family) return undefined
  const lines = new LineIndex(text)
  const findPlace = createPlaceFinder({ file, lines, family }, parseMarkdown)
  const { bodyStart } = readMarkdown(file, text)
  const first = lines.positionAt(bodyStart).line
  const body = family === 'markdown' ? parseMarkdown(text.slice(bodyStart)) : undefined
  return (line) => {
    const place = line === undefined ? 'file' : findPlace(line)
    if (line === undefined || place === 'file') return { kind: '', file }
    if (place === 'end') return { kind: '-line', file, line }
    const start = body && line >= first ? findBlockStart(body, { line, first }) : line
    return { kind: '-next-line', file, line: start }
  }
}

/** A comment in a manifest, for a folder and for files without comments. */
function planPathComment(
  { toml, markdown }: LintedSkill,
  path: string,
): PlannedComment | undefined {
  const host = toml ?? markdown
  return host && { kind: '-path', file: host.file, path: path || '.' }
}

interface Insertion {
  at: number
  text: string
}

function insertComments(
  skill: LintedSkill,
  groups: readonly { comment: PlannedComment; rules: Set<string> }[],
): SuppressionPlan {
  const insertions = new Map<string, Insertion[]>()
  for (const { comment, rules } of groups) {
    const lines = new LineIndex(skill.read(comment.file) ?? '')
    const insertion = createInsertion(lines, comment, [...rules].sort())
    insertions.set(comment.file, [...(insertions.get(comment.file) ?? []), insertion])
  }
  const texts = new Map<string, string>()
  const postponed = new Set<string>()
  for (const [file, list] of insertions) {
    let text = skill.read(file) ?? ''
    // A comment at the end also adds the final line feed, which may be what a finding misses.
    const appended = text.endsWith('\n')
      ? []
      : list.filter(({ text: added }) => /^\r?\n/.test(added))
    const isSplit = appended.length > 0 && appended.length < list.length
    if (isSplit) postponed.add(file)
    const applied = isSplit ? appended : [...list]
    for (const { at, text: added } of applied.sort((a, b) => b.at - a.at)) {
      text = text.slice(0, at) + added + text.slice(at)
    }
    texts.set(file, text)
  }
  return { texts, postponed }
}

function createInsertion(
  lines: LineIndex,
  comment: PlannedComment,
  rules: readonly string[],
): Insertion {
  const { text } = lines
  const present = findSuppressions(comment.file, lines).find((each) => isSameScope(each, comment))
  const names = present?.rules.at(-1)
  if (names) return { at: names.span.end, text: `, ${rules.join(', ')}` }
  const syntax = chooseSyntax(lines, comment)
  const path = comment.kind === '-path' ? ` ${quotePath(comment.path)}` : ''
  const written = `${syntax.open}skills-lint-disable${comment.kind}${path} ${rules.join(', ')}${syntax.close}`
  if ('line' in comment) return insertAtLine(lines, comment, written)
  return syntax.close === '' ? insertAtTop(lines, written) : insertAtEnd(text, written)
}

function insertAtLine(
  lines: LineIndex,
  { kind, line }: Extract<PlannedComment, { line: number }>,
  written: string,
): Insertion {
  const start = lines.getLineStart(line)
  const text = lines.getLine(line)
  if (kind === '-line') {
    return { at: start + text.replace(/[ \t\r]+$/, '').length, text: ` ${written}` }
  }
  const indent = /^[ \t]*/.exec(text)?.[0] ?? ''
  return {
    at: skipByteOrderMark(lines.text, start),
    text: `${indent}${written}${getNewline(lines.text)}`,
  }
}

function insertAtEnd(text: string, written: string): Insertion {
  const newline = getNewline(text)
  const gap = text === '' || text.endsWith('\n') ? '' : newline
  return { at: text.length, text: `${gap}${newline}${written}${newline}` }
}

function getNewline(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function skipByteOrderMark(text: string, start: number): number {
  return start === 0 && text.startsWith('\uFEFF') ? 1 : start
}

/** Inserts a line at the top of a file, after the lines that must stay first. */
function insertAtTop(lines: LineIndex, written: string): Insertion {
  const { text } = lines
  const newline = getNewline(text)
  const start = lines.getLineStart(countHeadLines(lines) + 1)
  if (start === text.length && text !== '' && !text.endsWith('\n'))
    return { at: start, text: `${newline}${written}${newline}` }
  return { at: skipByteOrderMark(text, start), text: `${written}${newline}` }
}

function chooseSyntax(lines: LineIndex, comment: PlannedComment): CommentSyntax {
  const family = findFileFamily(comment.file, lines.text) ?? 'toml'
  if (family !== 'markdown' || comment.kind !== '-next-line') return getCommentSyntax(family)
  const { bodyStart } = readMarkdown(comment.file, lines.text)
  const isYaml = lines.getLineStart(comment.line) < bodyStart
  return isYaml ? HASH_COMMENT : getCommentSyntax(family)
}

function isSameScope({ scope }: Suppression, comment: PlannedComment): boolean {
  if (comment.kind === '') return scope.kind === 'file'
  if (comment.kind === '-path') return scope.kind === 'path' && scope.path === comment.path
  return `-${scope.kind}` === comment.kind && 'line' in scope && scope.line === comment.line
}

/** Quotes a path that has blanks or could end the comment. */
function quotePath(path: string): string {
  if (/^[\w./@+-]+$/.test(path) && !path.includes('--')) return path
  return JSON.stringify(path).replaceAll('-', '\\u002d').replaceAll('*/', '*\\/')
}
