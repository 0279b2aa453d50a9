// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { copyClone } from '../helpers/copy-clone.ts'
import { createFolder } from '../helpers/skills.ts'
import { listSnippets } from './documents.ts'
import { runConsole } from './run-console.ts'

const PATIENCE_MS = 300_000

/** The commands that a reader types after the set-up, in the folder in which it leaves the reader, or in a new one. */
const TOURS = [
  ['README.md', 'an empty folder', /skills (?:new|lint skills)/],
  ['docs/quickstart.md', 'a clone', /^/],
  ['docs/quickstart.md', 'an empty folder', /^/],
] as const

function listTour(document: string) {
  return listSnippets(document).filter(({ language }) => language === 'console')
}

it.each(TOURS)(
  'the tour of %s prints what it shows in %s',
  { timeout: PATIENCE_MS },
  (document, folder, commands) => {
    const cwd = createFolder()
    if (folder === 'a clone') copyClone(cwd)
    const blocks = listTour(document).filter(({ code }) => commands.test(code))
    expect(blocks.length).toBeGreaterThan(0)
    expect(runConsole(blocks, cwd)).toEqual(blocks.map(({ code }) => code))
  },
)

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
