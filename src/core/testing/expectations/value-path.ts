import type { Plain } from '../../skills/manifest/manifest.ts'
import { isTable } from '../document/field.ts'

/** One step of a path: a key, or an index. */
type PathStep = string | number

const STEP = /\.?([A-Za-z_][\w-]*)|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]/

/** Parses `items[0].name` or `labels["a b"]`; undefined if it is not a path. A leading `$` is allowed. */
export function parseValuePath(text: string): PathStep[] | undefined {
  const source = text.replace(/^\$\.?/, '')
  const steps: PathStep[] = []
  const reader = new RegExp(STEP, 'y')
  while (reader.lastIndex < source.length) {
    const at = reader.lastIndex
    const found = reader.exec(source)
    if (!found || (at === 0 && source.startsWith('.'))) return undefined
    const [, key, index, quoted] = found
    if (key !== undefined) steps.push(key)
    else if (index !== undefined) steps.push(Number(index))
    else steps.push(JSON.parse(`"${quoted}"`) as string)
  }
  return steps
}

/** Returns the value at a path; undefined if there is none. Negative indices count from the end. */
export function readValuePath(value: Plain, steps: readonly PathStep[]): Plain | undefined {
  let current: Plain | undefined = value
  for (const step of steps) {
    if (Array.isArray(current) && typeof step === 'number') current = current.at(step)
    else if (isTable(current) && Object.hasOwn(current, String(step))) current = current[step]
    else return undefined
  }
  return current
}
