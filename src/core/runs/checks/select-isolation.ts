import { SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import type { ContainerSettings } from '../../sandbox/backend.ts'

/** Isolation that a run gets, or it does not start. */
export interface SelectedIsolation {
  backend: Config['run']['backend']
  container: ContainerSettings
  strict: boolean
  /** True if the host's kernel must not serve its system calls. */
  needsOwnKernel: boolean
}

/** Selects the isolation of a run. `stranger` describes a skill of strangers in it. */
export function selectIsolation(
  { backend, container, requireIsolation, isolation }: Config['run'],
  stranger: string | undefined,
): SelectedIsolation {
  const strict = requireIsolation === 'strict' || stranger !== undefined
  const needsOwnKernel = stranger !== undefined && isolation.strangers === 'kernel'
  if (!needsOwnKernel) return { backend, container, strict, needsOwnKernel }
  return {
    backend: backend === 'auto' ? 'container' : backend,
    container: { ...container, runtime: 'runsc' },
    strict,
    needsOwnKernel,
  }
}

const WAYS = {
  any: undefined,
  strict: {
    code: ['sandbox/too-weak'],
    hint: 'Run as root, or type "skills doctor --fix" to get control groups',
  },
  kernel: {
    code: ['sandbox/too-weak', 'sandbox/unavailable'],
    hint: 'Run as root with gVisor (on Debian, type "apt-get install runsc podman"), and leave out run.backend',
  },
}

/** Names the skill and the setting in an error about isolation. */
export function explainStranger(
  thrown: unknown,
  { isolation: { strangers } }: Config['run'],
  stranger: string | undefined,
): unknown {
  const way = WAYS[strangers]
  if (stranger === undefined || !way || !(thrown instanceof SkillsError)) return thrown
  if (!way.code.includes(thrown.code)) return thrown
  return new SkillsError(
    'sandbox/too-weak',
    `${stranger}, and run.isolation.strangers = "${strangers}" refuses it here: ${lowerFirst(thrown.message)}`,
    {
      hint: `${way.hint}; or, if you trust its author, sign it, or set run.isolation.strangers to "any"`,
    },
  )
}

export function sharesKernelError(backend: string): SkillsError {
  return new SkillsError(
    'sandbox/too-weak',
    `A kernel of its own is required, but the backend "${backend}" uses that of this machine`,
    { hint: 'Leave out run.backend, or set it to container' },
  )
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
