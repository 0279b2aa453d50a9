import { invalidParamError, type SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'

/** Extracts the part of a document that a reference names: `#heading`, `#L10-L40`, `:10-40`. */
export function extractDocumentPart(text: string, range: string): string {
  const lines = /^(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)$/.exec(range)
  if (!lines) return extractSection(text, range.slice(1))
  const first = Number(lines[1] ?? lines[3])
  const last = Number(lines[2] ?? lines[4] ?? first)
  // A trailing line feed does not start another line.
  const all = text.replace(/\n$/, '').split('\n')
  if (first < 1 || last < first || first > all.length) {
    throw invalidDocsError(
      `lines ${first} to ${last} are not in a document of ${all.length} line${all.length === 1 ? '' : 's'}`,
    )
  }
  return all.slice(first - 1, last).join('\n')
}

/** From a heading to the next one of the same or a higher level. */
function extractSection(text: string, slug: string): string {
  const lines = text.split('\n')
  const headings = findHeadings(lines)
  const at = headings.findIndex((each) => each.slug === slug.toLowerCase())
  const heading = headings[at]
  if (!heading) {
    const guess = findNearest(
      slug,
      headings.map((each) => each.slug),
    )
    const hint = guess === undefined ? undefined : `Did you mean '#${guess}'?`
    throw invalidDocsError(`there is no section '#${slug.slice(0, 100)}'`, hint)
  }
  const next = headings.slice(at + 1).find((each) => each.level <= heading.level)
  return lines.slice(heading.line, next?.line).join('\n')
}

interface Heading {
  line: number
  level: number
  slug: string
}

function findHeadings(lines: readonly string[]): Heading[] {
  const found: Heading[] = []
  const seen = new Map<string, number>()
  const isCode = findFencedLines(lines)
  for (const [line, text] of lines.entries()) {
    const [, marks, title] = (!isCode[line] && /^(#{1,6})[ \t]+(.*)$/.exec(text)) || []
    if (marks === undefined || title === undefined) continue
    const plain = slugifyHeading(title)
    const before = seen.get(plain) ?? 0
    seen.set(plain, before + 1)
    found.push({ line, level: marks.length, slug: before === 0 ? plain : `${plain}-${before}` })
  }
  return found
}

/** For each line, true inside fenced code, where "#" starts a comment. */
function findFencedLines(lines: readonly string[]): boolean[] {
  let fence: string | undefined
  return lines.map((text) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (mark === undefined) return fence !== undefined
    if (fence === undefined) fence = mark
    else if (mark.startsWith(fence)) fence = undefined
    return true
  })
}

/** Same rules as GitHub's heading anchors. */
function slugifyHeading(title: string): string {
  return title
    .trim()
    .replace(/[ \t]+#+$/, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function invalidDocsError(reason: string, hint?: string): SkillsError {
  return invalidParamError('docs', reason, hint)
}
