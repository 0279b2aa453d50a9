import { SkillsError } from '../../errors.ts'
import { getNamespaceAdvice } from './linux/namespace-advice.ts'

export function startFailedError(why: string): SkillsError {
  return new SkillsError(
    'sandbox/unavailable',
    `The sandbox did not start: ${why || 'no reason was given'}`,
    { hint: 'Type "skills doctor" to see what is missing on this machine' },
  )
}

/** Error for a kernel or a security module that denies namespaces; `reason` is the kernel's. */
export function namespacesDeniedError(reason: string): SkillsError {
  return backendUnusableError(
    `This system does not let this user create namespaces (${reason.toLowerCase()}), which isolate runs`,
    `${getNamespaceAdvice()}; or choose --backend container (isolates as well, but needs docker or podman and starts slower) or --backend process (no isolation: only for code that you trust)`,
  )
}

export function noControlGroupError(): SkillsError {
  return new SkillsError(
    'sandbox/too-weak',
    'Strict isolation is required, but this process cannot create control groups',
    {
      hint: 'Run as root, type "skills doctor --fix" to start in a scope of systemd if the system uses control groups of version 2, or accept weaker isolation with --require-isolation any',
    },
  )
}

export function backendUnusableError(message: string, hint: string): SkillsError {
  return new SkillsError('sandbox/unavailable', message, { hint })
}
