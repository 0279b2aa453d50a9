/** Explains why a value is not a protocol message; undefined for a valid one. */
export function findMessageProblem(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'expected one message per line, got an array'
  if (!isMessageObject(value)) return 'expected an object'
  if (value['jsonrpc'] !== '2.0') return 'expected "jsonrpc": "2.0"'
  const isAnswer = value['result'] !== undefined || value['error'] !== undefined
  if (value['method'] === undefined && isAnswer) return undefined
  return findRequestProblem(value)
}

function findRequestProblem({ id, method, params }: Record<string, unknown>): string | undefined {
  if (typeof method !== 'string') return 'expected "method" to be a string'
  const isId = id === undefined || typeof id === 'string' || Number.isSafeInteger(id)
  if (!isId) return 'expected "id" to be a string or a whole number'
  return params === undefined || isMessageObject(params)
    ? undefined
    : 'expected "params" to be an object'
}

function isMessageObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
