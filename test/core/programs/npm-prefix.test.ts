// @module-tag slow
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createUser } from '../../helpers/user-machine.ts'

const PACKAGES = new URL('../../../node_modules/', import.meta.url).pathname

/** Installs packages as `npm install --global --prefix` does. */
function installTsx(prefix: string): void {
  const folder = join(prefix, 'lib/node_modules/tsx')
  cpSync(join(PACKAGES, 'tsx'), folder, { recursive: true })
  for (const name of ['esbuild', '@esbuild', 'get-tsconfig', 'resolve-pkg-maps']) {
    cpSync(join(PACKAGES, name), join(folder, 'node_modules', name), { recursive: true })
  }
  mkdirSync(join(prefix, 'bin'), { recursive: true })
  symlinkSync('../lib/node_modules/tsx/dist/cli.mjs', join(prefix, 'bin/tsx'))
}

describe('a program of an npm prefix', { timeout: 120_000 }, () => {
  it.each(['.npm-global', '.local', 'prefix'])(
    'starts from ~/%s without a repository',
    async (prefix) => {
      const { home, run } = await createUser({ [`${prefix}/share/secret`]: 'private' })
      installTsx(join(home, prefix))
      const code = `import { readdirSync } from 'node:fs'
const text: string = 'typed'
let seen = 'none'
try { seen = readdirSync('${home}/${prefix}/share').join() } catch {}
console.log(text, seen)`
      const params = { runtime: 'typescript', executable: 'tsx', code, repoId: undefined } as const
      const answer = await run(params, { folders: [`${prefix}/bin`] })
      expect(answer).toMatchObject({ status: 'success', stdoutSummary: 'typed none\n' })
    },
  )
})
