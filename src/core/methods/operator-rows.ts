import { loadLazily } from '../../util/load-lazily.ts'

/**
 * Methods that show the data of the operator, and to other callers their own sessions. No profile has
 * them: they are for people.
 */
export const OPERATOR_ROWS = {
  check_policy: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(async () => (await import('./check-policy/handler.ts')).checkPolicy),
  },
  describe_policy: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(async () => (await import('./describe-policy/handler.ts')).describePolicy),
  },
  list_audit_records: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(
      async () => (await import('./list-audit-records/handler.ts')).listAuditRecords,
    ),
  },
  verify_audit_log: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(async () => (await import('./verify-audit-log/handler.ts')).verifyAuditLog),
  },
  check_runtime: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(async () => (await import('./check-runtime/handler.ts')).checkRuntime),
  },
  describe_configuration: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(
      async () => (await import('./describe-configuration/handler.ts')).describeConfiguration,
    ),
  },
  list_nodes: {
    scope: 'operate',
    effect: 'read',
    load: loadLazily(async () => (await import('./list-nodes/handler.ts')).listNodes),
  },
  list_sessions: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(async () => (await import('./list-sessions/handler.ts')).listSessions),
  },
  describe_session: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(async () => (await import('./describe-session/handler.ts')).describeSession),
  },
} as const
