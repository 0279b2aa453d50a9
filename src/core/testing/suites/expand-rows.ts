import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import { isTable, spellValue } from '../document/field.ts'
import type { Place } from '../document/problems.ts'

/** A case of a table, and the place that its problems are reported at. */
export interface ExpandedCase {
  value: Plain
  place: Place
}

const PLACEHOLDER = /\{\{\s*([\w-]+)\s*\}\}/g

/**
 * Expands a case with `rows` into one case for each row: `{{name}}` becomes the row's value. A text
 * that is one placeholder becomes the value itself, with its type.
 */
export function expandRows(value: Plain, place: Place): ExpandedCase[] {
  if (!isTable(value) || value['rows'] === undefined) return [{ value, place }]
  const { rows, ...template } = value
  const at = place.at('rows')
  if (!Array.isArray(rows) || rows.length === 0) {
    at.refuse(`Expected a list of rows, got ${spellValue(rows)}`)
    return []
  }
  const used = new Set<string>()
  return rows.flatMap((row, number) => {
    if (!isTable(row) || Object.keys(row).length === 0) {
      at.at(number).refuse(`Expected a table of values, got ${spellValue(row)}`)
      return []
    }
    used.clear()
    const expanded = fill(template, { row, used, place }) as PlainObject
    for (const key of Object.keys(row).filter((each) => !used.has(each))) {
      const help = `Write {{${key}}} where the value belongs`
      at.at(number).at(key).refuse(`No text of the case uses "${key}"`, { what: 'key', help })
    }
    return [{ value: { ...expanded, name: nameRow(template['name'], expanded, number) }, place }]
  })
}

/** A name without a placeholder gets the number of the row. */
function nameRow(before: Plain | undefined, { name }: PlainObject, number: number): Plain {
  if (typeof name === 'number' || typeof name === 'boolean') return String(name)
  if (typeof name !== 'string' || name !== before) return name ?? null
  return `${name} (row ${number + 1})`
}

interface FillContext {
  row: PlainObject
  used: Set<string>
  place: Place
}

function fill(value: Plain, context: FillContext): Plain {
  if (Array.isArray(value)) {
    return value.map((each, at) => fill(each, { ...context, place: context.place.at(at) }))
  }
  if (isTable(value)) {
    const result = Object.create(null) as PlainObject
    for (const [key, each] of Object.entries(value)) {
      result[key] = fill(each, { ...context, place: context.place.at(key) })
    }
    return result
  }
  return typeof value === 'string' ? fillText(value, context) : value
}

function fillText(text: string, { row, used, place }: FillContext): Plain {
  const read = (name: string): Plain => {
    used.add(name)
    if (Object.hasOwn(row, name)) return row[name] ?? null
    const help = `The row has ${Object.keys(row).join(', ')}`
    place.refuse(`No row has a value "${name}"`, { help })
    return ''
  }
  const [whole] = text.matchAll(PLACEHOLDER)
  if (whole && whole[0] === text) return read(whole[1] ?? '')
  return text.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = read(name)
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}
