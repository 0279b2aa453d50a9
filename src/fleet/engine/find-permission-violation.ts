import type { EngineClient } from './connection/load-client.ts'

/** The refusal of a message that the permissions of this node do not allow; undefined for other errors. */
export function findPermissionViolation(
  { PermissionViolationError }: Pick<EngineClient, 'PermissionViolationError'>,
  error: unknown,
) {
  const errors = [error, error instanceof Error ? error.cause : undefined]
  return errors.find((each) => each instanceof PermissionViolationError)
}
