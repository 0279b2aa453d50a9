import type { NetworkRequest } from './code-facts.ts'
import type { TreeNode } from './javascript-tree.ts'
import { getDottedName, getMember, getPropertyName, listMembers } from './javascript-tree.ts'
import { findTextPrefix, toSpan, type FileNames } from './javascript-scope.ts'
import { findOrigin, isAbsoluteUrl } from './url-origin.ts'

const REQUEST_CALLS =
  /^(?:(?:globalThis|window|self)\.)?fetch$|^(?:axios|got|ky|superagent|needle|undici)(?:\.(?:get|post|put|patch|delete|del|head|options|request|stream|create|extend))?$|^https?\.(?:get|request)$/
const REQUEST_CLASSES = /^(?:WebSocket|EventSource|Request)$/
/** A client that was made elsewhere: its calls count only with an absolute address. */
const CLIENT_CALLS =
  /(?:client|session|http|api|axios|agent)\w*\.(?:get|post|put|patch|delete|head|request)$/i

/** The request that a call sends; undefined for other calls. */
export function findRequest(
  node: TreeNode,
  names: FileNames,
  source: string,
): NetworkRequest | undefined {
  const callee = getMember(node, 'callee')
  const call = getDottedName(callee)
  if (!callee || call === undefined) return undefined
  const kind = classifyCall(node, call, names)
  if (kind === undefined) return undefined
  const address = findAddress(listMembers(node, 'arguments')[0], names)
  const found = address && findOrigin(address, source)
  if (found) return { call, ...found }
  // A relative address reaches nothing.
  const isRelative = address !== undefined && !isAbsoluteUrl(address.text)
  const sends = kind === 'request' && !isRelative
  return sends ? { call, origin: undefined, span: toSpan(callee) } : undefined
}

/** Whether a call sends a request, or only with an absolute address. */
function classifyCall(
  node: TreeNode,
  call: string,
  names: FileNames,
): 'request' | 'client' | undefined {
  // A parameter or a function of the file may be anything.
  const isOwn = /^(?:fetch|WebSocket|EventSource|Request)$/.test(call) && names.counts.has(call)
  if (isOwn) return undefined
  const isClass = node.type === 'NewExpression'
  if (!(isClass ? REQUEST_CLASSES : REQUEST_CALLS).test(call)) {
    return CLIENT_CALLS.test(call) ? 'client' : undefined
  }
  return /\.(?:create|extend)$|^Request$/.test(call) ? 'client' : 'request'
}

/** The address of a request: the first argument, or its `url` or `baseURL`. */
function findAddress(argument: TreeNode | undefined, names: FileNames) {
  if (argument?.type !== 'ObjectExpression') return findTextPrefix(argument, names)
  const values = new Map(
    listMembers(argument, 'properties').map(
      (each) => [getPropertyName(each), getMember(each, 'value')] as const,
    ),
  )
  const key = ['baseURL', 'prefixUrl', 'url', 'uri'].find((each) => values.has(each))
  return findTextPrefix(key === undefined ? undefined : values.get(key), names)
}
