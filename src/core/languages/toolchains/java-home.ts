import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resolveShim, type ShimRequest } from '../shims/resolve-shim.ts'
import { getSearchPath } from '../locate-program.ts'
import { searchProgram } from '../trusted-program.ts'

/**
 * Finds the folder of the JDK that tools of the JVM start: JAVA_HOME of the caller, or that of
 * `java` in PATH.
 */
export async function findJavaHome(request: ShimRequest): Promise<string | undefined> {
  const { env, excluded } = request
  const named = env['JAVA_HOME']
  if (named?.startsWith('/') && existsSync(join(named, 'bin/java')))
    return named.replace(/\/+$/, '')
  const search = { searchPath: getSearchPath(request), excluded }
  for (const name of ['javac', 'java']) {
    const [found] = searchProgram(name, search).found
    const resolved = found && (await resolveShim(request, name, found))
    if (!resolved || 'problem' in resolved) continue
    const home = dirname(dirname(resolved.real))
    if (existsSync(join(home, 'bin/java'))) return home
  }
  return undefined
}
