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
  const lines = shown.split('\n').length
  return (
    <div class="code-view" tabIndex={0} role="region" aria-label={label}>
      {numbered && (
        <pre class="code-numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => at + 1).map((line) => (
            <span key={line} class={isMarked(line, marked) ? 'marked' : undefined}>
              {line}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
      <pre class={wraps ? 'code-text wraps' : 'code-text'}>
        <code ref={code}>{shown}</code>
      </pre>
    </div>
  )
}

function isMarked(line: number, marked: CodeViewProps['marked']): boolean {
  return marked !== undefined && line >= marked[0] && line <= marked[1]
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
