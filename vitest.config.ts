import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { preferRealPython } from './test/helpers/real-python.ts'
import { NEEDS } from './test/needs.ts'
import { SummaryReporter } from './test/summary-reporter.ts'

const PATH = preferRealPython(process.env['PATH'])

/** Test files whose first lines have a tag, such as `// @module-tag slow`. */
function listTagged(tag: string): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file))
    .filter((file) => tagLines(readFileSync(file, 'utf8')).includes(`// @module-tag ${tag}`))
}

function tagLines(text: string): string[] {
  return text.slice(0, text.indexOf('import ')).split('\n')
}

/** Files that replace modules, which others would see. */
const isolated = listTagged('isolated')
const excluded = [
  ...configDefaults.exclude,
  // Slow files would be loaded although all of their tests are skipped.
  ...(process.argv.includes('--tags-filter=!slow') ? listTagged('slow') : []),
]

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // Modules hold constants, so that the files of a worker share them: most of the time would go into loading.
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...excluded, ...isolated],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated, exclude: excluded } },
    ],
    reporters: ['default', new SummaryReporter()],
    env: PATH === undefined ? {} : { PATH },
    // For what hangs: a machine that is busy with other work takes ten times as long as a quiet one.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // A busy machine needs longer than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
    // Two cores are busy with these: tests wait for disks, heartbeats and other processes as well.
    maxWorkers: 3,
    tags: [
      {
        name: 'slow',
        description:
          "Attacks, crashes, leaks, floods, terminals, other projects' suites: npm run test:all runs them too.",
      },
      { name: 'nightly', description: 'Slow as well, and left to the night.' },
      {
        name: 'isolated',
        description:
          'Replaces modules, or counts what its process has started: has a process of its own.',
      },
      ...Object.entries(NEEDS).map(([name, { isMet, reason }]) => ({
        name,
        description: `Skipped here if ${reason}.`,
        skip: !isMet,
      })),
    ],
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'] },
  },
})
