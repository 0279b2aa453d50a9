import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import type { Manifest } from '../../skills/manifest/manifest.ts'
import type { RunError } from '../result.ts'

/** Facts about the network of a failed run. */
interface NetworkFacts {
  kind: 'execute_skill' | 'run_code'
  skills: readonly { manifest: Pick<Manifest, 'permissions'> }[]
  /** True if the run had a network. */
  isOpen: boolean
  /** Attempts of the run, redacted. */
  decisions: readonly NetworkDecision[]
}

/** Words of errors that Python, Node and curl raise without a network. */
const NETWORK_ERRORS =
  /gaierror|URLError|ConnectionError|ConnectError|Name or service not known|name resolution|Network is unreachable|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|fetch failed|resolve host/

/** Explains a failure that the network of the run caused; undefined if another cause is likely. */
export function findNetworkHint(error: RunError, facts: NetworkFacts): string | undefined {
  if (error.hint !== undefined || error.limit !== undefined) return undefined
  const isLikely = NETWORK_ERRORS.test(
    [error.type, error.message, error.traceback].filter(Boolean).join('\n'),
  )
  if (facts.isOpen) {
    const last = facts.decisions.findLast(
      ({ allowed, reason }) => !allowed || reason === 'authority-refused',
    )
    if (last?.allowed === true) return last.message
    return last && `The network refused a request (${last.reason}): ${last.message}`
  }
  if (!isLikely) return undefined
  const declared = [...new Set(facts.skills.flatMap((each) => each.manifest.permissions.network))]
  if (declared.length === 0) {
    return facts.kind === 'run_code'
      ? 'Code has no network: declare the host in a skill, and run it with --allow-network'
      : 'List the host under [permissions] network in skill.toml, then add --allow-network'
  }
  const list = declared.join(', ')
  return facts.kind === 'run_code'
    ? `Set run.code_inherits_permissions, and add --allow-network to allow ${list}`
    : `Add --allow-network to allow ${list}`
}
