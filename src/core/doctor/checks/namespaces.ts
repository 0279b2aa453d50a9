import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import type { DoctorCheck, CheckResult, Machine } from '../check.ts'
import { getNamespaceAdvice } from '../namespace-advice.ts'
import { runSystemProgram } from '../run-system-program.ts'

/** One namespace each, created by bubblewrap for a program that does nothing. */
export const NAMESPACE_CHECKS: readonly DoctorCheck[] = [
  createNamespaceCheck('user', 'User namespace', ['--unshare-user', '--disable-userns']),
  createNamespaceCheck('mount', 'Mount namespace', []),
  createNamespaceCheck('pid', 'PID namespace', ['--unshare-pid', '--as-pid-1', '--proc', '/proc']),
  createNamespaceCheck('network', 'Network namespace', ['--unshare-net']),
]

function createNamespaceCheck(
  kind: string,
  title: string,
  unshareArgs: readonly string[],
): DoctorCheck {
  return {
    id: `namespace-${kind}`,
    title,
    needed: true,
    run: async (machine) => await tryNamespace(machine, kind, unshareArgs),
  }
}

async function tryNamespace(
  { env }: Machine,
  kind: string,
  unshareArgs: readonly string[],
): Promise<CheckResult> {
  const searchPath = env['PATH'] ?? DEFAULT_PATH
  const nothing = findProgram('true', searchPath) ?? '/bin/true'
  if (!findProgram('bwrap', searchPath))
    return { ok: false, detail: 'not tried without bubblewrap' }
  const isRoot = process.getuid?.() === 0
  // Other users than root create the other namespaces inside a user namespace.
  const before = isRoot || kind === 'user' ? [] : ['--unshare-user']
  const args = [...before, ...unshareArgs, '--ro-bind', '/', '/', '--', nothing]
  const { ok, stderr } = await runSystemProgram(['bwrap', ...args], env)
  if (ok) return { ok, detail: 'available' }
  const errorLine = stderr.trim().split('\n')[0] ?? ''
  if (kind === 'user' && isRoot)
    return { ok: true, detail: `not created, and not needed by root: ${errorLine}` }
  return { ok: false, detail: `denied: ${errorLine}`, fix: getNamespaceAdvice() }
}
