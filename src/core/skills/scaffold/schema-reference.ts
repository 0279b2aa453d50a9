import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toRelativeReference } from './scaffold.ts'

const SCHEMA = 'dist/schemas/skill.schema.json'
const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * How a skill.toml names its JSON Schema so that editors find it without a network: the copy that
 * the project has installed, else the one of the program that writes the skill.
 */
export function findSchemaReference(dir: string): string {
  for (let at = dir; ; at = dirname(at)) {
    const installed = join(at, 'node_modules', 'skills-protocol', SCHEMA)
    if (existsSync(installed)) return toRelativeReference(dir, installed)
    if (at === dirname(at)) return toRelativeReference(dir, join(PACKAGE, SCHEMA))
  }
}
