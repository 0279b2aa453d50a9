import { toPrintable } from '../../util/printable.ts'
import type { SkippedEntries, SkipReason } from './manifest.ts'

const MAX_EXAMPLES = 3
const MAX_EXAMPLE_CHARS = 100

const DESCRIPTIONS: Readonly<Record<SkipReason, string>> = {
  special: 'not a file, folder or link',
  unreadable: 'not readable',
  deep: 'in too many folders',
  large: 'beyond the size of a workspace',
  many: 'or more beyond the number of entries of a snapshot',
  changing: 'changed while they were read',
}

/** Collects the entries that a snapshot leaves out. */
export class LeftOutEntries {
  #all = new Map<SkipReason, { count: number; examples: string[] }>()

  /** Notes a path, whose bytes are in Latin-1. */
  add(reason: SkipReason, path: string): void {
    const noted = this.#all.get(reason) ?? { count: 0, examples: [] }
    this.#all.set(reason, noted)
    noted.count += 1
    if (noted.examples.length === MAX_EXAMPLES) return
    const text = toPrintable(Buffer.from(path, 'latin1').toString())
    noted.examples.push(text.replace(/^root\//, '').slice(0, MAX_EXAMPLE_CHARS))
  }

  list(): SkippedEntries[] {
    return [...this.#all].map(([reason, { count, examples }]) => ({ reason, count, examples }))
  }
}

/** A sentence about entries that a snapshot does not have; undefined if it has all. */
export function describeLeftOut(leftOut: readonly SkippedEntries[]): string | undefined {
  if (leftOut.length === 0) return undefined
  const groups = leftOut.map(({ reason, count, examples }) => {
    const more = count > examples.length ? ', …' : ''
    return `${count} ${DESCRIPTIONS[reason]} (${examples.join(', ')}${more})`
  })
  return `The snapshot of the workspace does not have all entries: ${groups.join('; ')}`
}
