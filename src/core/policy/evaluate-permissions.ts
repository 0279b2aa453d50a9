import type { Config } from '../config/config.ts'
import type { Manifest } from '../skills/manifest/manifest.ts'

/** Facts that decide about a function run's permissions. */
interface PermissionRequest {
  kind: 'execute_skill' | 'run_code'
  /** The executed skill, or the skills that the code mounts. */
  skills: readonly Pick<Manifest, 'name' | 'permissions'>[]
  config: Pick<Config['run'], 'codeInheritsPermissions' | 'secrets'>
  /** Names of the secrets that have hosts, so that their values stay outside of the sandbox. */
  masked: ReadonlySet<string>
  /** Names of the skills that were uploaded, whose secrets are always masked. */
  uploaded: ReadonlySet<string>
  /** Names of the secrets that the operator configured. */
  configured: ReadonlySet<string>
  /** True if the operator lets skills use the network that they declare. */
  allowsNetwork: boolean
  /** True if the sandbox can restrict a run to a list of destinations. */
  canFilterNetwork: boolean
}

/** Permissions of a run, with reasons; part of the run record. */
export interface PermissionDecision {
  allowed: boolean
  /** Why the run is refused, or what was left out: the first lines of its log. */
  reasons: readonly string[]
  /** Destinations that the run may reach. */
  network: readonly string[]
  /** Names of the secrets that the run gets. */
  secrets: readonly string[]
  /** True if it is refused because the value of a secret would be in the sandbox. */
  unmasked?: true
}

/** Evaluates the permissions of one run. Pure: the same request gives the same decision. */
export function evaluatePermissions(request: PermissionRequest): PermissionDecision {
  const { allowsNetwork, canFilterNetwork } = request
  const declared = mergeLists(request.skills.map(({ permissions }) => permissions.network))
  if (allowsNetwork && declared.length > 0 && inheritsPermissions(request) && !canFilterNetwork) {
    const reason =
      'Network was allowed, but this machine cannot restrict a run to the destinations of its skill'
    return { allowed: false, reasons: [reason], network: [], secrets: [] }
  }
  const network = grantNetwork(request, declared)
  const secrets = grantSecrets(request)
  const unmasked = findUnmasked(request, secrets.granted)
  if (unmasked.length > 0) {
    return { allowed: false, reasons: unmasked, network: [], secrets: [], unmasked: true }
  }
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

/** Grants declared destinations only if the operator allows the network. */
function grantNetwork(request: PermissionRequest, declared: readonly string[]): PermissionGrant {
  if (declared.length === 0) return { granted: [], reasons: [] }
  const list = declared.join(', ')
  if (!inheritsPermissions(request)) {
    const reason = `This run has no network: ${list} is granted to mounted skills, not to code`
    return { granted: [], reasons: [reason] }
  }
  if (request.allowsNetwork) return { granted: declared, reasons: [] }
  const reason = `This run has no network, although the skill declares ${list}: it runs without --allow-network`
  return { granted: [], reasons: [reason] }
}

/** Grants secrets that are declared by the skills and configured by the operator. */
function grantSecrets(request: PermissionRequest): PermissionGrant {
  const declared = mergeLists(request.skills.map(({ permissions }) => permissions.secrets))
  if (declared.length > 0 && !inheritsPermissions(request)) {
    const list = declared.join(', ')
    const reason = `This run has no secrets: ${list} is granted to mounted skills, not to code`
    return { granted: [], reasons: [reason] }
  }
  const missing = declared.filter((name) => !request.configured.has(name))
  const granted = declared.filter((name) => request.configured.has(name))
  return {
    granted,
    reasons: [
      ...missing.map((name) => `The secret ${name} is declared but not configured`),
      ...granted
        .filter((name) => !request.masked.has(name))
        .map(
          (name) =>
            `The value of ${name} is inside of the sandbox, since its skill names no hosts for it`,
        ),
    ],
  }
}

/** Explains which values would be in the sandbox although the operator requires that none is. */
function findUnmasked(
  { skills, config, masked, uploaded }: PermissionRequest,
  granted: readonly string[],
): string[] {
  return granted.flatMap((name) => {
    if (masked.has(name)) return []
    const skill = skills.find(
      (each) => uploaded.has(each.name) && each.permissions.secrets.includes(name),
    )
    if (config.secrets === 'masked') {
      return [
        `The secret ${name} has no hosts, and run.secrets = "masked" lets no value into the sandbox`,
      ]
    }
    return skill
      ? [
          `The secret ${name} has no hosts, and no value enters the sandbox of ${skill.name}, which was uploaded`,
        ]
      : []
  })
}

/**
 * True if the run gets its skills' permissions. Code has none of its own; it inherits those of
 * mounted skills only if configured.
 */
function inheritsPermissions({ kind, config }: PermissionRequest): boolean {
  return kind === 'execute_skill' || config.codeInheritsPermissions
}

function mergeLists(lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())]
}
