import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import type { Policy } from '../../../src/core/policy/policy.ts'
import type { PolicyRequest } from '../../../src/core/policy/policy-request.ts'

/** Parses the policy of a file, with a configuration that restricts nothing. */
export function createPolicy(toml: string, more: Partial<Policy> = {}): Policy {
  return {
    enabled: true,
    timeoutMs: 300_000,
    maxTimeoutMs: 600_000,
    outputBytes: 8 * 1024 ** 2,
    environment: ['CI'],
    files: [],
    ...parsePolicy('/etc/policy.toml', toml, 'operator'),
    ...more,
  }
}

/** Creates a request that nothing denies, with changes. Programs have no network by default. */
export function createRequest(more: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    kind: more.network?.length ? 'execute_skill' : 'execute',
    door: 'http',
    caller: 'alice',
    skills: [],
    language: 'python',
    executable: { name: 'python3', path: '/usr/bin/python3.11' },
    repository: 'app',
    cwd: { asked: 'src', relative: 'src' },
    network: [],
    environment: [],
    ...more,
  }
}
