import { readFileSync } from 'node:fs'

/** Tool descriptions that the build writes, so that a first request for them loads nothing. */
export interface KnownTools {
  /** Names of the tools of each profile, in order. */
  profiles: Readonly<Record<string, readonly string[]>>
  tools: Readonly<Record<string, object>>
}

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
  const { profiles, tools } = readToolsFile(file) ?? { profiles: {}, tools: {} }
  if (!Object.hasOwn(profiles, profile)) return undefined
  return profiles[profile]?.map((name) => tools[name] as object)
}

function readToolsFile(file: URL | string): KnownTools | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as KnownTools
  } catch {
    return undefined
  }
}
