import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BACKEND_CHOICES } from '../../../src/core/config/run-keys.ts'
import type { IsolatedResource, LimitedResource } from '../../../src/core/sandbox/backend.ts'
import { BACKEND_NAMES, Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'

/** Renders the table of docs/sandbox.md from the guarantees that the backends declare. */
async function renderTable(): Promise<string> {
  const backends = await Promise.all(
    BACKEND_NAMES.map(async (name) => await new Sandboxes().openBackend(name)),
  )
  const [first] = backends
  const isolated = Object.keys(first?.guarantees.isolates ?? {}) as IsolatedResource[]
  const limited = Object.keys(first?.guarantees.limits ?? {}) as LimitedResource[]
  const row = (title: string, cells: readonly string[]) => `| ${[title, ...cells].join(' | ')} |`
  const yes = (value: boolean) => (value ? 'yes' : 'no')
  return [
    row(
      'guarantee',
      BACKEND_NAMES.map((name) => `\`${name}\``),
    ),
    row(
      '---',
      BACKEND_NAMES.map(() => '---'),
    ),
    row(
      'best tier',
      backends.map(({ guarantees }) => guarantees.tier),
    ),
    ...isolated.map((what) =>
      row(
        `isolates ${what}`,
        backends.map(({ guarantees }) => yes(guarantees.isolates[what])),
      ),
    ),
    row(
      'restricts a run to its destinations',
      backends.map(({ guarantees }) => yes(guarantees.filtersNetwork)),
    ),
    ...limited.map((what) =>
      row(
        `limit of ${what}`,
        backends.map(({ guarantees }) => guarantees.limits[what]),
      ),
    ),
  ].join('\n')
}

it('the table of backend guarantees in the docs matches the backends', async () => {
  const text = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
  expect(text).toContain(await renderTable())
})

it('the table of backend guarantees covers every backend that can be chosen', () => {
  expect(BACKEND_CHOICES).toEqual(['auto', ...BACKEND_NAMES])
})
