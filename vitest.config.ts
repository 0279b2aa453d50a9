import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { preferRealPython } from './test/helpers/real-python.ts'

const PATH = preferRealPython(process.env['PATH'])

/** Files of slow tests, which would be loaded although all of their tests are skipped. */
function listSlowFiles(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file))
    .filter((file) => readFileSync(file, 'utf8').startsWith('// @module-tag slow'))
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.argv.includes('--tags-filter=!slow')
      ? [...configDefaults.exclude, ...listSlowFiles()]
      : configDefaults.exclude,
    env: PATH === undefined ? {} : { PATH },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A busy machine needs longer than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
    // Sandbox suites start processes of their own, so more workers than two slow each other down.
    maxWorkers: 2,
    tags: [
      {
        name: 'slow',
        description:
          "Attacks, crashes, leaks, floods, terminals, other projects' suites: npm run test:all runs them too.",
      },
    ],
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'] },
  },
})
