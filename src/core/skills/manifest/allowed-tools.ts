import type { Plain } from './manifest.ts'
import { toSortedJson } from './sorted-json.ts'

/**
 * The tools of `allowed-tools`: `Read Bash(git add:*)`, with commas, or a list. Undefined if the
 * key is absent, which limits nothing.
 */
export function splitAllowedTools(value: Plain | undefined): string[] | undefined {
  if (value === undefined || value === null) return undefined
  const texts = Array.isArray(value) ? value : [value]
  const tools = texts.flatMap((text) => (typeof text === 'string' ? splitTools(text) : [toSortedJson(text)]))
  return [...new Set(tools)]
}

function splitTools(text: string): string[] {
  const tools: string[] = []
  let tool = ''
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth = Math.max(0, depth - 1)
    if (depth === 0 && /[\s,]/.test(character)) {
      tools.push(tool)
      tool = ''
    } else tool += character
  }
  return [...tools, tool].filter((each) => each !== '')
}
