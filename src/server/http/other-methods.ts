import type { Hono } from 'hono'
import { SkillsError } from '../../errors.ts'
import type { AppEnv } from './app-env.ts'
import { createErrorResponse } from './error-response.ts'
import type { ServerContext } from '../server-context.ts'

/**
 * Rejects other HTTP methods on these paths with an Allow header. Must be called after their
 * routes.
 */
export function rejectOtherMethods(
  app: Hono<AppEnv>,
  context: ServerContext,
  allowed: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [path, methods] of Object.entries(allowed)) {
    app.all(path, (c) => {
      c.header('allow', methods.join(', '))
      const text = `Expected ${methods.join(' or ')}, got ${c.req.method}`
      return createErrorResponse(c, context, new SkillsError('http/method', text))
    })
  }
}
