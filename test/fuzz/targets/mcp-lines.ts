import { createLineSplitter } from '../../../src/mcp/stdio/split-lines.ts'
import { findMessageProblem } from '../../../src/mcp/stdio/line-transport.ts'
import { answerFirstRequest } from '../../../src/mcp/stdio/fast-path/first-answer.ts'
import { PROTOCOL_PROMPT } from '../../../src/core/skill-context/prompt/protocol-prompt.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const MAX_BYTES = 4096
const FACTS = { version: '0.1.0', hasGuide: true, tools: () => [] }

/** Bytes of a client on stdin. */
export const target: FuzzTarget = {
  name: 'mcp-lines',
  format: 'text',
  seeds: [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"a","version":"1"}}}\n',
    '{"jsonrpc":"2.0","id":"x","method":"tools/list"}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
    '\n\r\n[]\n{"jsonrpc":"2.0","id":1,"result":{}}\n',
  ],
  words: ['\n', '\r\n', '{', '"id":', '"method":"ping"', '"params":{}', '"_meta":', '[]', 'null'],
  open: (isPlanted) => (input) => {
    const lines = split([input], isPlanted)
    const at = input.length >> 1
    expectEqual(
      split([input.subarray(0, at), input.subarray(at)], false),
      split([input], false),
      'it',
    )
    expectEqual(lines, splitSimply(input), 'the lines')
    for (const line of lines) if (line !== undefined) checkLine(line)
  },
}

function split(chunks: readonly Buffer[], isPlanted: boolean): (string | undefined)[] {
  const lines: (string | undefined)[] = []
  const splitter = createLineSplitter(
    () => MAX_BYTES,
    (line) => lines.push(line),
  )
  for (const chunk of chunks) splitter.add(chunk)
  splitter.end()
  // The planted bug: the limit is off by one for the last line.
  return isPlanted && (lines.at(-1)?.length ?? 0) > 300 ? lines.slice(0, -1) : lines
}

function splitSimply(input: Buffer): (string | undefined)[] {
  const parts: Buffer[] = []
  let start = 0
  for (const [at, byte] of input.entries()) {
    if (byte !== 10) continue
    parts.push(input.subarray(start, at))
    start = at + 1
  }
  parts.push(input.subarray(start))
  return parts
    .filter(({ length }) => length > 0)
    .map((part) => (part.length > MAX_BYTES ? undefined : part.toString('utf8')))
}

function checkLine(line: string): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return
  }
  const problem = findMessageProblem(value)
  if (problem !== undefined) return expectThat(problem.length > 0, 'a problem has words')
  const answer = answerFirstRequest(value as Record<string, unknown>, FACTS)
  if (!answer || !('instructions' in answer)) return
  expectEqual(answer.instructions, PROTOCOL_PROMPT, 'the instructions')
}
