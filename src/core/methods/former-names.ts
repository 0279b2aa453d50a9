import { z } from 'zod'
import { kernelMethod } from './kernel/definition.ts'
import type { Method } from './method.ts'
import { runsMethod } from './runs/definition.ts'

/** Actions of a method that were methods of their own. Clients may call them for one version more. */
const FORMER_METHODS = {
  list_runs: [runsMethod.name, 'list'],
  get_run: [runsMethod.name, 'get'],
  read_run_logs: [runsMethod.name, 'logs'],
  cancel_run: [runsMethod.name, 'cancel'],
  'kernel.list': [kernelMethod.name, 'list'],
  'kernel.interrupt': [kernelMethod.name, 'interrupt'],
  'kernel.restart': [kernelMethod.name, 'restart'],
  'kernel.end': [kernelMethod.name, 'end'],
} as const

/** The methods by their former names, which no list of methods or tools has. */
export function listFormerMethods(methods: readonly Method[]): (readonly [string, Method])[] {
  return Object.entries(FORMER_METHODS).flatMap(([former, [name, action]]) =>
    methods
      .filter((each) => each.name === name)
      .map((method) => [former, fixAction(method, action)] as const),
  )
}

function fixAction(method: Method, action: string): Method {
  const params = method.params as z.ZodObject
  return { ...method, params: params.extend({ action: z.literal(action).default(action) }) }
}
