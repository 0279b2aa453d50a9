import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const PAGE = readFileSync('docs/threat-model.md', 'utf8')
const LINK = /\[([^\]]+)\]\((\.\.\/test\/[^)]+)\)/g
const MAX_ITEM_CHARS = 120

interface NamedTest {
  title: string
  file: string
}

/** The rows of tables that name tests; the table of assets names none. */
function listRows(page: string): { row: string; tests: NamedTest[] }[] {
  const tables = page.slice(page.indexOf('## Code of a skill'))
  return tables
    .split('\n')
    .filter((line) => /^\| (?!attempt|-)/.test(line) && !line.startsWith('|---'))
    .map((row) => ({
      row,
      tests: [...row.matchAll(LINK)].map(([, title = '', path = '']) => ({
        title,
        file: join('docs', path),
      })),
    }))
}

/** True if a file has the title as a whole text, up to the reason that some titles end with. */
function hasTest({ title, file }: NamedTest): boolean {
  if (!existsSync(file)) return false
  const text = readFileSync(file, 'utf8')
  return ["'", '"', '`'].some((quote) =>
    [quote, '${'].some((end) => text.includes(`${quote}${title}${end}`)),
  )
}

describe('the threat model', () => {
  const rows = listRows(PAGE)

  it('names a test in each row', () => {
    expect(rows.length).toBeGreaterThan(60)
    expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([])
  })

  it('names only tests that exist, by their title and file', () => {
    const missing = rows.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)))
    expect(missing).toEqual([])
  })

  it('reports a test that does not exist', () => {
    const file = 'test/docs/threat-model.test.ts'
    expect(hasTest({ title: 'reports a test that does not exist', file })).toBe(true)
    expect(hasTest({ title: ['reports', 'another'].join(' '), file })).toBe(false)
    expect(hasTest({ title: 'x', file: 'test/docs/nothing.test.ts' })).toBe(false)
    expect(listRows('## Code of a skill\n| a | b | c |\n')).toEqual([
      { row: '| a | b | c |', tests: [] },
    ])
  })

  it('has a short list of what is not protected', () => {
    const items = PAGE.slice(PAGE.indexOf('## What is not protected')).match(/^- .*/gm) ?? []
    expect(items.length).toBeGreaterThan(10)
    expect(items.filter((item) => item.length > MAX_ITEM_CHARS)).toEqual([])
  })
})
