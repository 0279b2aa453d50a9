// @module-tag slow
import { describe, expect, it } from 'vitest'
import { copyClone } from '../helpers/copy-clone.ts'
import { createFolder } from '../helpers/skills.ts'
import { listSnippets } from './documents.ts'
import { runConsole } from './run-console.ts'

const PATIENCE_MS = 300_000

/** The commands that a reader types after the set-up. */
const TOURS = [
  [
    'README.md',
    listTour('README.md').filter(({ code }) => /skills (?:new|lint skills)/.test(code)),
  ],
  ['docs/quickstart.md', listTour('docs/quickstart.md')],
] as const

/** The folder in which the set-up leaves the reader, and a new one. */
const FOLDERS = [
  ['a clone', copyClone],
  ['an empty folder', () => {}],
] as const

function listTour(document: string) {
  return listSnippets(document).filter(({ language }) => language === 'console')
}

describe.each(TOURS)('the tour of %s', (_document, blocks) => {
  it.each(FOLDERS)('prints what it shows in %s', { timeout: PATIENCE_MS }, (_title, fill) => {
    const cwd = createFolder()
    fill(cwd)
    expect(blocks.length).toBeGreaterThan(0)
    expect(runConsole(blocks, cwd)).toEqual(blocks.map(({ code }) => code))
  })
})

describe('the first page of the README', () => {
  it('prints what it shows in a clone', { timeout: PATIENCE_MS }, () => {
    const cwd = createFolder()
    copyClone(cwd)
    const blocks = listTour('README.md')
    expect(blocks).toHaveLength(3)
    expect(runConsole(blocks, cwd)).toEqual(blocks.map(({ code }) => code))
  })

  it('shows how to build and run a skill first, and how to test second', () => {
    const [setUp] = listSnippets('README.md').filter(({ language }) => language === 'sh')
    const lines = (setUp?.code ?? '').split('\n').map((line) => line.replace(/\s+#.*$/, ''))
    expect(lines).toEqual([
      'npm ci && npx skills exec examples.greet --arg name=Ada',
      'npm test',
      'export PATH="$PWD/node_modules/.bin:$PATH"',
    ])
  })
})
