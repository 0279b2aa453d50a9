import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { BUILT_MODULES } from '../../helpers/built.ts'

const HOOK = `export async function resolve(name, context, next) {
  if (name === 'zod') throw new Error('zod is loaded by ' + context.parentURL)
  return await next(name, context)
}`
const REGISTER = `import { register } from 'node:module'
register("data:text/javascript,${encodeURIComponent(HOOK)}")`

/** Returns the stderr of a process without zod that runs a script. */
function runWithoutZod(script: string): string {
  const hook = `data:text/javascript,${encodeURIComponent(REGISTER)}`
  const args = ['--import', BUILT_MODULES, '--import', hook, '--input-type=module', '-e', script]
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' }).stderr
}

it('every handler loads without zod; definitions need it', () => {
  const all = `import { METHOD_TABLE } from './src/core/methods/table.ts'
    for (const { load } of Object.values(METHOD_TABLE)) await load()`
  expect(runWithoutZod(all)).toBe('')
  const index = "import './src/core/methods/index.ts'"
  expect(runWithoutZod(index)).toContain('zod is loaded by')
})
