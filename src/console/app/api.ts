import { computed, signal } from '@preact/signals'
import type { MethodParams } from '../../core/methods/define-method.ts'
import type { CallResult, Definitions, MethodName } from '../../core/methods/definitions.ts'
import {
  ConnectionError,
  createClient,
  ProtocolError,
  type CallOptions,
} from '../../client/index.ts'
import { forgetToken, token } from './session-token.ts'

/** State of the connection, as the last answer or its absence shows it. */
export type ConnectionState = 'ok' | 'gone' | 'token-required'

export const connection = signal<ConnectionState>('ok')

/** The client of the server that sent this page. */
export const client = computed(() =>
  // The page came by the same address.
  createClient({
    url: location.origin,
    token: token.value,
    retries: 0,
    allowPlainHttp: true,
  }),
)

/** Calls a method of the table. Parameters and result have the types of its definition. */
export async function callMethod<
  Name extends MethodName,
  Params extends MethodParams<Definitions[Name]>,
>(method: Name, params: Params, options: CallOptions = {}): Promise<CallResult<Name, Params>> {
  try {
    const result = await client.value.call(method, params, options)
    connection.value = 'ok'
    return result as CallResult<Name, Params>
  } catch (thrown) {
    noteFailure(thrown)
    throw thrown
  }
}

/** Changes the state of the connection if a failed call shows it. */
export function noteFailure(thrown: unknown): void {
  if (thrown instanceof ConnectionError) connection.value = 'gone'
  if (thrown instanceof ProtocolError && thrown.httpStatus === 401) noteUnauthorized()
}

/** The server needs a token, and did not accept that of this tab. */
export function noteUnauthorized(): void {
  forgetToken()
  connection.value = 'token-required'
}
