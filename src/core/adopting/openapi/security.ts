import { type ApiObject, resolveRef, toList, toObject, toText } from './read-document.ts'

/** How a secret becomes a part of a request; the keys are those of code/operations.json. */
export interface ApiCredential {
  secret: string
  /** `user` and `password` are the halves of one header. */
  kind: 'header' | 'query' | 'bearer' | 'user' | 'password'
  name: string
}

export interface ApiSecurity {
  credentials: readonly ApiCredential[]
  required: boolean
}

/** The first alternative that a program can use; undefined if it can use none. */
export function readSecurity(
  document: ApiObject,
  operation: ApiObject,
  prefix: string,
): ApiSecurity | undefined {
  const alternatives = toList(operation['security'] ?? document['security']).map(toObject)
  if (alternatives.length === 0) return { credentials: [], required: false }
  const schemes = toObject(toObject(document['components'])['securitySchemes'])
  const isOptional = alternatives.some((each) => Object.keys(each).length === 0)
  for (const each of alternatives.filter((one) => Object.keys(one).length > 0)) {
    const found = Object.keys(each).map((name) =>
      Object.hasOwn(schemes, name)
        ? toCredentials(resolveRef(document, schemes[name]), createSecretName(prefix, name))
        : undefined,
    )
    if (found.every((one) => one !== undefined))
      return { credentials: found.flat(), required: !isOptional }
  }
  return isOptional ? { credentials: [], required: false } : undefined
}

function toCredentials(scheme: ApiObject, secret: string): ApiCredential[] | undefined {
  const name = toText(scheme['name'])
  switch (scheme['type']) {
    case 'apiKey':
      if (scheme['in'] === 'header' && /^[\w-]{1,100}$/.test(name))
        return [{ secret, kind: 'header', name }]
      return scheme['in'] === 'query' && name !== '' ? [{ secret, kind: 'query', name }] : undefined
    case 'http':
      return toHttpCredentials(toText(scheme['scheme']).toLowerCase(), secret)
    case 'oauth2':
    case 'openIdConnect':
      // The user obtains the token.
      return [{ secret, kind: 'bearer', name: 'Authorization' }]
    default:
      return undefined
  }
}

function toHttpCredentials(scheme: string, secret: string): ApiCredential[] | undefined {
  if (scheme === 'bearer') return [{ secret, kind: 'bearer', name: 'Authorization' }]
  if (scheme !== 'basic') return undefined
  return [
    { secret: `${secret}_USER`, kind: 'user', name: 'Authorization' },
    { secret: `${secret}_PASSWORD`, kind: 'password', name: 'Authorization' },
  ]
}

function createSecretName(prefix: string, name: string): string {
  const words = `${prefix}_${name}`.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
  return (
    words
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^[^A-Z]+|_+$/g, '')
      .slice(0, 100) || 'API_SECRET'
  )
}
