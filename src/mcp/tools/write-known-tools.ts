import { writeFileSync } from 'node:fs'
import { METHODS } from '../../core/methods/index.ts'
import type { Method } from '../../core/methods/method.ts'
import { PROFILES } from '../../core/skill-context/prompt/profile-names.ts'
import { makeToolTable } from './tool-table.ts'
import { KNOWN_TOOLS, type KnownTools } from '../stdio/fast-path/known-tools.ts'

/** Writes the tools as they are described now for the fast path that reads them: a step of the build. */
export function writeKnownTools(file: URL | string = KNOWN_TOOLS): void {
  const { tools } = makeToolTable(METHODS as readonly unknown[] as readonly Method[])
  const known: KnownTools = {
    profiles: PROFILES,
    tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])),
  }
  writeFileSync(file, JSON.stringify(known))
}
