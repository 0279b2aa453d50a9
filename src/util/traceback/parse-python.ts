import type { Traceback, TracebackFrame, TracebackPart } from './traceback.ts'

const FRAME = /^ {2}File "(.+)", line (\d+)(?:, in (.+))?$/
const CHAIN_SENTENCE =
  /\n(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):\n/
const EXCEPTION_GROUP = /^ *[+|] /m
const SKIPPED = /^(?:Traceback \(most recent call last\):| {2}\[Previous line repeated .*\])?$/

/** Parses a traceback of Python; undefined if it has another form, such as an exception group. */
export function parsePythonTraceback(text: string): Traceback | undefined {
  if (EXCEPTION_GROUP.test(text)) return undefined
  const parts = text.split(CHAIN_SENTENCE).map(parsePart)
  return parts.every((part) => part.frames.length > 0) ? parts.toReversed() : undefined
}

function parsePart(text: string): TracebackPart {
  const frames: TracebackFrame[] = []
  const title: string[] = []
  for (const line of text.split('\n')) {
    const [, path, number, name] = FRAME.exec(line) ?? []
    const last = frames.at(-1)
    if (path !== undefined) frames.push({ path, line: Number(number), name, code: [] })
    else if (last && title.length === 0 && line.startsWith('    ')) {
      frames[frames.length - 1] = { ...last, code: [...last.code, line.slice(4)] }
    } else if (!SKIPPED.test(line)) title.push(line)
  }
  return { title: title.join('\n').trim(), frames }
}
