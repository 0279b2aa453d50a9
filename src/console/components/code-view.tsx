import { useLayoutEffect, useRef } from 'preact/hooks'
import { toPrintableLines } from '../../util/printable.ts'
import { paint, type PaintedLanguage, type TokenKind } from '../models/highlight.ts'

interface CodeViewProps {
  text: string
  language?: PaintedLanguage | undefined
  label: string
  /** Lines, from 1, that are marked. */
  marked?: readonly [first: number, last: number] | undefined
  numbered?: boolean
  /** True for prose: long lines continue in the next row. */
  wraps?: boolean
}

const KINDS: readonly TokenKind[] = ['comment', 'string', 'number', 'keyword', 'name']

/** Text of a program. Colours are ranges over one text node: no markup is made of the text. */
export function CodeView({ text, language, label, marked, ...options }: CodeViewProps) {
  const { numbered = true, wraps = false } = options
  const code = useRef<HTMLElement>(null)
  const shown = toPrintableLines(text)
  useLayoutEffect(() => paintElement(code.current, shown, language), [shown, language])
  return (
    <div class="code-view" tabIndex={0} role="region" aria-label={label}>
      {numbered && <LineNumbers count={countLines(shown)} marked={marked} />}
      <pre class={wraps ? 'code-text wraps' : 'code-text'}>
        <code ref={code}>{shown}</code>
      </pre>
    </div>
  )
}

/** Lines that get a number: a number for each of a million lines would stop the page. */
const MAX_NUMBERED = 50_000

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** The numbers are three texts, however many there are: those before, in and after the marked lines. */
function LineNumbers({ count, marked }: { count: number; marked: CodeViewProps['marked'] }) {
  const end = Math.min(count, MAX_NUMBERED)
  const [first, last] = marked ?? [end + 1, end]
  return (
    <pre class="code-numbers" aria-hidden="true">
      {listNumbers(1, Math.min(first - 1, end))}
      <span class="marked">{listNumbers(first, Math.min(last, end))}</span>
      {listNumbers(last + 1, end)}
    </pre>
  )
}

function listNumbers(first: number, last: number): string {
  if (last < first) return ''
  return Array.from({ length: last - first + 1 }, (_, at) => `${first + at}\n`).join('')
}

/** Adds the ranges of one element to the shared highlights. Returns their removal. */
function paintElement(
  element: HTMLElement | null,
  text: string,
  language: PaintedLanguage | undefined,
): (() => void) | undefined {
  const node = element?.firstChild
  // Older browsers show the text without colours.
  if (!node || !('highlights' in CSS)) return undefined
  const added: [Highlight, Range][] = []
  for (const { kind, start, end } of paint(text, language)) {
    const range = new Range()
    range.setStart(node, start)
    range.setEnd(node, end)
    const highlight = openHighlight(kind)
    highlight.add(range)
    added.push([highlight, range])
  }
  return () => {
    for (const [highlight, range] of added) highlight.delete(range)
  }
}

function openHighlight(kind: TokenKind): Highlight {
  const found = CSS.highlights.get(kind)
  if (found) return found
  const created = new Highlight()
  created.priority = KINDS.indexOf(kind)
  CSS.highlights.set(kind, created)
  return created
}
