import { writeFileSync } from 'node:fs'
import { METHODS } from '../../core/methods/index.ts'
import { PROFILES } from '../../core/methods/profiles.ts'
import { KNOWN_TOOLS, type KnownTools } from '../stdio/fast-path/known-tools.ts'
import { makeToolTable } from './tool-table.ts'

/** Writes the tool descriptions that the fast path reads. Called by the build. */
export function writeKnownTools(file: URL | string = KNOWN_TOOLS): void {
  const { tools } = makeToolTable(METHODS)
  const document: KnownTools = {
    profiles: PROFILES,
    tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])),
  }
  writeFileSync(file, JSON.stringify(document))
}
