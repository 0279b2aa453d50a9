/** Result of checking the files of one area of the data directory. */
export interface DamageReport {
  /** Number of items, such as blobs or records. */
  checked: number
  damaged: DamagedItem[]
}

/** An item whose bytes are not those that were written. */
export interface DamagedItem {
  item: string
  reason: string
}

/** Collects the results of many items. */
export class DamageCollector {
  readonly report: DamageReport = { checked: 0, damaged: [] }

  /** Checks one item with a function that throws if it is damaged. */
  async check(item: string, check: () => Promise<void>): Promise<void> {
    try {
      await check()
    } catch (error) {
      // Others may remove items meanwhile.
      if (error instanceof ItemGoneError) return
      this.report.damaged.push({ item, reason: describeReason(error) })
    }
    this.report.checked += 1
  }
}

/** The item was removed during the check. */
export class ItemGoneError extends Error {}

/** Messages of the system contain paths of the item's files, which the item names already. */
function describeReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'a file is missing'
  if (error instanceof SyntaxError) return 'its JSON or the checksum of it is damaged'
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? `it cannot be read: ${code}` : message
}
