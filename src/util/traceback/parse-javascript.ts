import type { Traceback, TracebackFrame } from './traceback.ts'

const FRAME = /^ {4}at (?:async )?(?:(.*?) \()?(?:file:\/\/)?([^()]+?)(?::(\d+):(\d+))?\)?$/
const LOCATION = /^(?:file:\/\/)?(\/.+):(\d+)\n/

/** Parses a stack of Node with its code frames; undefined if it has none. */
export function parseJavaScriptStack(text: string): Traceback | undefined {
  return parseSyntaxError(text) ?? parseStack(text.split('\n'))
}

/** Some syntax errors begin with their location and the code. */
function parseSyntaxError(text: string): Traceback | undefined {
  const [head, path, number] = LOCATION.exec(text) ?? []
  if (head === undefined || path === undefined) return undefined
  const lines = text.slice(head.length).split('\n')
  const titleAt = lines.findIndex((line) => /^\w*Error\b/.test(line))
  const code = lines.slice(0, titleAt).filter((line) => line.trim() !== '')
  return [{ title: lines[titleAt] ?? '', frames: [{ path, line: Number(number), code }] }]
}

function parseStack(lines: readonly string[]): Traceback | undefined {
  const frames: TracebackFrame[] = []
  const title: string[] = []
  for (const line of lines) {
    const [, name, path, row, column] = FRAME.exec(line) ?? []
    const last = frames.at(-1)
    if (path !== undefined && row !== undefined) {
      frames.push({ path, line: Number(row), column: Number(column), name, code: [] })
    } else if (line.startsWith('        ') && last) {
      frames[frames.length - 1] = { ...last, code: [...last.code, line.slice(8)] }
    } else if (!last && path === undefined) title.push(line)
  }
  return frames.length > 0 ? [{ title: title.join('\n').trim(), frames }] : undefined
}
