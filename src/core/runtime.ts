import type { MethodName } from './methods/definitions.ts'
import type { cancelRun, getRun, listRuns, readRunLogs } from './methods/runs/handler.ts'
import { callMethod } from './methods/method.ts'
import { METHOD_TABLE, type HandlerFor } from './methods/table.ts'
import { openServices, type RuntimeOptions } from './open-services.ts'
import type { Services } from './services.ts'
import type { RunCall } from './runs/run-call.ts'
import type { WarmPool } from './sandbox/backend.ts'

/** Maps `skill_run` to `skillRun`, and `runtime.execute` to `execute`. */
type OperationName<Name extends string> = Name extends `runtime.${infer Rest}`
  ? Rest
  : Name extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<OperationName<Tail>>}`
    : Name

type Operation<Handler> = Handler extends (services: never, ...given: infer Given) => infer Result
  ? (...given: Given) => Result
  : never

/** Every method of the table as a function, named in camel case. */
type Operations = {
  [Name in MethodName as OperationName<Name>]: Operation<HandlerFor<Name>>
}

/** The actions of the method `runs`, whose name is that of a service. */
interface RunOperations {
  listRuns: Operation<typeof listRuns>
  getRun: Operation<typeof getRun>
  readRunLogs: Operation<typeof readRunLogs>
  cancelRun: Operation<typeof cancelRun>
}
const RUN_OPERATIONS = ['listRuns', 'getRun', 'readRunLogs', 'cancelRun'] as const

/**
 * The facade: the services, and every method as an operation. Services are created on first use.
 */
export interface Runtime extends Services, Omit<Operations, 'languages' | 'runs'>, RunOperations {
  /** Keeps sandboxes ready for the runs of this process until the pool is stopped. */
  keepWarm(location: Pick<RunCall, 'cwd' | 'env'>): Promise<WarmPool>
  /** Languages that `execute` can run on this machine. */
  languages(
    call: Parameters<Operations['languages']>[1],
    params?: Parameters<Operations['languages']>[0],
  ): ReturnType<Operations['languages']>
}

/** Creates a runtime from a configuration. Nothing is read or started before its first use. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const services = openServices(options)
  const { runs: _runs, ...operations } = bindOperations(services)
  return {
    ...services,
    keepWarm: async (location) => await services.sandboxes.keepWarm(location),
    ...operations,
    ...bindRunOperations(services),
    languages: async (call, params = {}) => await operations.languages(params, call),
  }
}

function bindOperations(services: Services): Operations {
  const entries = Object.entries(METHOD_TABLE).map(([name, row]) => [
    name
      .replace(/^runtime\./, '')
      .replaceAll(/[_.]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    async (params: unknown, call: RunCall) => await callMethod(services, row, { params, call }),
  ])
  return Object.fromEntries(entries) as Operations
}

function bindRunOperations(services: Services): RunOperations {
  const entries = RUN_OPERATIONS.map((name) => [
    name,
    async (...args: [never, never]) =>
      await ((await import('./methods/runs/handler.ts'))[name] as AnyHandler)(
        services as never,
        ...args,
      ),
  ])
  return Object.fromEntries(entries) as RunOperations
}

type AnyHandler = (...given: never[]) => Promise<unknown>
