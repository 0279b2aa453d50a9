import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { ZodType } from 'zod'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { isTable, spellValue, type Field } from '../document/field.ts'
import type { Place } from '../document/problems.ts'
import { skillFileField } from '../document/skill-path.ts'

const require = createRequire(import.meta.url)

/** A compiled JSON Schema; returns the first mistake of a value. */
export type SchemaCheck = (value: Plain) => string | undefined

const description = 'JSON Schema of the value, or a file of the skill with it'

/** A JSON Schema as a table, or the path of a file of the skill. */
export const jsonSchemaField: Field<SchemaCheck> = {
  description,
  schema: { anyOf: [{ type: 'string' }, { type: 'object' }], description },
  read(value, place) {
    if (isTable(value)) return compileSchema(value, place)
    if (typeof value !== 'string') {
      return place.refuse(`Expected a JSON Schema or a path, got ${spellValue(value)}`)
    }
    const file = skillFileField.read(value, place)
    if (file === undefined) return undefined
    try {
      return compileSchema(JSON.parse(readFileSync(file, 'utf8')) as Plain, place)
    } catch (cause) {
      return place.refuse(`Cannot parse "${value}": ${(cause as Error).message}`)
    }
  },
}

function compileSchema(schema: Plain, place: Place): SchemaCheck | undefined {
  const { z } = require('zod') as typeof import('zod')
  let compiled: ZodType
  try {
    // Parsed tables have no prototype, which the compiler expects.
    compiled = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)) as never)
  } catch (cause) {
    return place.refuse(`This JSON Schema cannot be used: ${(cause as Error).message}`)
  }
  return (value) => {
    const { error } = compiled.safeParse(value)
    const [issue] = error?.issues ?? []
    if (!issue) return undefined
    const path = issue.path.length === 0 ? 'the value' : issue.path.join('.')
    return `${path}: ${issue.message}`
  }
}
