import { describe, expect, it } from 'vitest'
import { takePage } from '../../src/mcp/skills/page.ts'

/** Pages that a client of the official SDK reads before it gives up. */
const CLIENT_PAGES = 64

describe('pages of resources', () => {
  it('have all of 50,000 resources once, within the pages that the official client reads', () => {
    const all = Array.from({ length: 50_000 }, (_, at) => ({
      uri: `skill://s${String(at).padStart(5, '0')}`,
    }))
    const found: string[] = []
    let pages = 0
    let cursor: string | undefined
    do {
      const { items, nextCursor } = takePage(all, cursor)
      found.push(...items.map(({ uri }) => uri))
      cursor = nextCursor
      pages += 1
    } while (cursor !== undefined)
    expect(found).toEqual(all.map(({ uri }) => uri))
    expect(pages).toBeLessThanOrEqual(CLIENT_PAGES)
  })
})
