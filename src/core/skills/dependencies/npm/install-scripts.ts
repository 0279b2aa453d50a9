import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeLock } from '../declared-lock.ts'
import { selectPackages } from './select-packages.ts'

/** A script that npm would execute when it installs a package. */
export interface UnexecutedScript {
  package: string
  script: string
}

const SCRIPTS = ['preinstall', 'install', 'postinstall'] as const

/** Lists the scripts of installed packages: a package that depends on one may not work. */
export function listScripts(lock: NodeLock, folder: string): UnexecutedScript[] {
  return selectPackages(lock).flatMap(({ path, name, version }) => {
    const text = readFileSync(join(folder, path, 'package.json'), 'utf8')
    // npm compiles such a package if it has no script of its own.
    const isNative = existsSync(join(folder, path, 'binding.gyp'))
    const found: readonly string[] = findScripts(text)
    const scripts = found.length === 0 && isNative ? ['binding.gyp'] : found
    return scripts.map((script) => ({ package: `${name}@${version}`, script }))
  })
}

function findScripts(text: string): string[] {
  const { scripts } = JSON.parse(text.replace(/^\uFEFF/, '')) as { scripts?: unknown }
  const table = typeof scripts === 'object' && scripts !== null ? scripts : {}
  return SCRIPTS.filter((each) => Object.hasOwn(table, each))
}
