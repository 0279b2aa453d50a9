import type { Config } from '../config/config.ts'
import type { Manifest } from '../skills/manifest/manifest.ts'

/** What is asked for, as far as it needs permission. */
interface PermissionRequest {
  kind: 'execute_skill' | 'run_code'
  /** The skill that is executed, or those that the code mounts. */
  skills: readonly Pick<Manifest, 'name' | 'permissions'>[]
  config: Pick<Config['run'], 'codeInheritsPermissions'>
  /** Names of the secrets that the operator has. */
  configured: ReadonlySet<string>
  /** The operator lets skills use the network that they declare. */
  allowsNetwork: boolean
  /** This machine can hold a run to a list of destinations. */
  canFilterNetwork: boolean
}

/** What a run may do, and why; it stands in the run's record. */
export interface PermissionDecision {
  allowed: boolean
  /** Why not, or what was left out: the run's logs begin with it. */
  reasons: readonly string[]
  /** Destinations that the run may reach. */
  network: readonly string[]
  /** Names of the secrets that the run gets. */
  secrets: readonly string[]
}

/** Decides about one run. Nothing is looked up here: the same request gives the same decision. */
export function evaluatePermissions(request: PermissionRequest): PermissionDecision {
  const { allowsNetwork, canFilterNetwork } = request
  const declared = mergeLists(request.skills.map(({ permissions }) => permissions.network))
  if (allowsNetwork && declared.length > 0 && inheritsPermissions(request) && !canFilterNetwork) {
    const reason = 'Network was allowed, but nothing here can hold a run to the list of its skill'
    return { allowed: false, reasons: [reason], network: [], secrets: [] }
  }
  const network = grantNetwork(request, declared)
  const secrets = grantSecrets(request)
  return {
    allowed: true,
    reasons: [...network.reasons, ...secrets.reasons],
    network: network.granted,
    secrets: secrets.granted,
  }
}

interface PermissionGrant {
  granted: readonly string[]
  reasons: readonly string[]
}

/** Declared destinations count only where the operator says so. */
function grantNetwork(request: PermissionRequest, declared: readonly string[]): PermissionGrant {
  if (declared.length === 0) return { granted: [], reasons: [] }
  const list = declared.join(', ')
  if (!inheritsPermissions(request)) {
    const reason = `This run has no network: ${list} is allowed to mounted skills, not to code`
    return { granted: [], reasons: [reason] }
  }
  if (request.allowsNetwork) return { granted: declared, reasons: [] }
  const reason = `This run has no network, although the skill declares ${list}`
  return { granted: [], reasons: [reason] }
}

/** Only what is declared, and of that what the operator has. */
function grantSecrets(request: PermissionRequest): PermissionGrant {
  const declared = mergeLists(request.skills.map(({ permissions }) => permissions.secrets))
  if (declared.length > 0 && !inheritsPermissions(request)) {
    const list = declared.join(', ')
    const reason = `This run has no secrets: ${list} is given to mounted skills, not to code`
    return { granted: [], reasons: [reason] }
  }
  const missing = declared.filter((name) => !request.configured.has(name))
  return {
    granted: declared.filter((name) => request.configured.has(name)),
    reasons: missing.map((name) => `The secret ${name} is declared but not configured`),
  }
}

/** Code has no permissions of its own; those of the skills that it mounts only by configuration. */
function inheritsPermissions({ kind, config }: PermissionRequest): boolean {
  return kind === 'execute_skill' || config.codeInheritsPermissions
}

function mergeLists(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())]
}
