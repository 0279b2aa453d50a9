import { readFileSync } from 'node:fs'

/** What the build writes down of the tools, so that a first question about them loads nothing. */
export interface KnownTools {
  /** The tools of each profile, in their order. */
  profiles: Readonly<Record<string, readonly string[]>>
  tools: Readonly<Record<string, object>>
}

/** Where it stands. */
export const KNOWN_TOOLS: URL = new URL('known-tools.json', import.meta.url)

/**
 * Reads the tools of a profile as `tools/list` gives them. Undefined for what is not a profile's plain
 * name, and where nothing was built: the server then describes them itself.
 *
 * General way: `makeToolTable` in mcp/tools/tool-table.ts.
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
