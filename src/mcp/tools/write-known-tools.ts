import { writeFileSync } from 'node:fs'
import { METHODS } from '../../core/methods/index.ts'
import { PROFILES } from '../../core/methods/profiles.ts'
import { COMMAND_TOOLS } from '../../core/skill-context/prompt/command-rules.ts'
import { KNOWN_TOOLS, type KnownTools } from '../stdio/fast-path/known-tools.ts'
import { makeToolTable } from './tool-table.ts'

/** Writes the tool descriptions that the fast path reads. Called by the build. */
export function writeKnownTools(file: URL | string = KNOWN_TOOLS): void {
  // The descriptions of tools that run commands depend on the configuration.
  const known = Object.entries(PROFILES).filter(
    ([, names]) => !names.some((each) => COMMAND_TOOLS.has(each)),
  )
  const tools: KnownTools = Object.fromEntries(
    known.map(([profile, names]) => {
      const methods = METHODS.filter(({ name }) => names.includes(name as never))
      return [profile, makeToolTable(methods).tools]
    }),
  )
  writeFileSync(file, JSON.stringify(tools))
}
