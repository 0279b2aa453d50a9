import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toRelativeReference } from './scaffold.ts'

const SCHEMA = 'dist/schemas/skill.schema.json'
const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url))

/**
 * Reference to the JSON Schema in skill.toml that editors can resolve without network access: the
 * schema in the project's node_modules, else the one of this package.
 */
export function findSchemaReference(dir: string): string {
  for (let at = dir; ; at = dirname(at)) {
    const installed = join(at, 'node_modules', 'skills-protocol', SCHEMA)
    if (existsSync(installed)) return toRelativeReference(dir, installed)
    if (at === dirname(at)) return toRelativeReference(dir, join(PACKAGE, SCHEMA))
  }
}
