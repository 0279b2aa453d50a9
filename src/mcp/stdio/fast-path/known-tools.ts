import { readFileSync } from 'node:fs'

/** Tools of each profile, which the build writes, so that a first request for them loads nothing. */
export type KnownTools = Readonly<Record<string, readonly object[]>>

/** URL of the file that the build writes. */
export const KNOWN_TOOLS: URL = new URL('known-tools.json', import.meta.url)

/**
 * Reads the tools of a profile as `tools/list` returns them. Undefined if the value is not the name
 * of a profile or the file was not built; the server then describes the tools itself.
 *
 * General path: `makeToolTable` in mcp/tools/tool-table.ts.
 * Differential test: test/mcp/fast-path/first-answer.test.ts
 */
export function readKnownTools(
  profile: string,
  file: URL | string = KNOWN_TOOLS,
): readonly object[] | undefined {
  const tools = readToolsFile(file) ?? {}
  return Object.hasOwn(tools, profile) ? tools[profile] : undefined
}

function readToolsFile(file: URL | string): KnownTools | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KnownTools
  } catch {
    return undefined
  }
}
