import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import type { Policy } from '../../../src/core/policy/policy.ts'
import type { PolicyRequest } from '../../../src/core/policy/policy-request.ts'

/** The policy of a file, under a configuration that leaves everything as it is. */
export function policyOf(toml: string, more: Partial<Policy> = {}): Policy {
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

/** A request that nothing speaks against, and what is different in this one. */
export function request(more: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    kind: 'execute',
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
