import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'

const BIN = readFileSync(new URL('../../bin/skills.js', import.meta.url))

/**
 * Returns the folder in which the executable requests compiled code to be cached. Not every
 * supported Node.js version has the cache.
 */
function readCacheFolder(env: NodeJS.ProcessEnv): string {
  const dir = createFolder({
    'package.json': '{"type": "module"}',
    'bin/skills.js': BIN,
    'dist/bundle/main.js': 'export const main = () => console.log(globalThis.asked ?? "nowhere")',
    'watch.cjs':
      'require("node:module").enableCompileCache = (to = "shared") => (globalThis.asked = to)',
  })
  const args = ['--require', join(dir, 'watch.cjs'), join(dir, 'bin/skills.js'), 'list']
  return execFileSync(process.execPath, args, { env, encoding: 'utf8' }).trim()
}

describe('compiled code', () => {
  it('is cached in a folder that only this user can write', () => {
    const home = createFolder()
    const kept = readCacheFolder({ HOME: home })
    expect(kept).toBe(join(home, '.cache/skills/node'))
    expect(statSync(kept).mode & 0o777).toBe(0o700)
    expect(readCacheFolder({ HOME: home, XDG_CACHE_HOME: join(home, 'x') })).toBe(
      join(home, 'x/skills/node'),
    )
  })

  it('is not cached if others can write or there is no home folder', () => {
    const home = createFolder()
    const shared = join(home, '.cache/skills/node')
    mkdirSync(shared, { recursive: true })
    chmodSync(shared, 0o777)
    expect(readCacheFolder({ HOME: home })).toBe('nowhere')
    expect(readCacheFolder({})).toBe('nowhere')
    expect(readCacheFolder({ HOME: 'here' })).toBe('nowhere')
  })

  it('is not cached without a cache folder', () => {
    const home = createFolder({ '.cache/skills/node': '' })
    expect(readCacheFolder({ HOME: home })).toBe('nowhere')
  })
})
