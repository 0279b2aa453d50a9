import { parseStrictJson, type JsonValue } from '../../signing/envelope/strict-json.ts'
import type { RegistryCredentials } from './credentials.ts'
import { credentialsError } from './credentials-error.ts'

/** Key of the public registry of Docker, which is older than hosts as keys. */
const DOCKER_KEY = 'https://index.docker.io/v1/'

/**
 * Finds the credentials of a registry in the configuration of Docker. The programs that it may
 * name are not started.
 */
export function findDockerCredentials(
  text: string,
  registry: string,
  file: string,
): RegistryCredentials | undefined {
  const config = parseStrictJson(text, (problem) => credentialsError(file, problem))
  const helper = findHelper(config, registry)
  const auths = config.at('auths')
  const entry = auths.isAbsent ? undefined : findRegistryEntry(auths, registry)
  const helped = helper === undefined ? undefined : describeHelper(registry, helper)
  if (!entry) return helped
  const [auth, identity] = [entry.at('auth'), entry.at('identitytoken')]
  if (!identity.isAbsent && identity.value !== '') {
    const reason = `the login of "${registry}" is an identity token, which is not supported`
    return { type: 'unusable', reason }
  }
  if (auth.isAbsent || auth.value === '') return helped
  const decoded = Buffer.from(auth.text(), 'base64').toString('utf8')
  const split = decoded.indexOf(':')
  if (split < 1) throw credentialsError(file, `the login of "${registry}" is not "user:password"`)
  return { type: 'password', user: decoded.slice(0, split), password: decoded.slice(split + 1) }
}

function listDockerKeys(registry: string): string[] {
  if (registry === 'docker.io') return [DOCKER_KEY, 'docker.io', 'index.docker.io']
  return [registry, `https://${registry}`, `https://${registry}/`]
}

function findRegistryEntry(auths: JsonValue, registry: string): JsonValue | undefined {
  return listDockerKeys(registry)
    .map((key) => auths.at(key))
    .find((each) => !each.isAbsent)
}

/** The program that keeps the credentials, of this registry or of all. */
function findHelper(config: JsonValue, registry: string): string | undefined {
  const helpers = config.at('credHelpers')
  const own = helpers.isAbsent ? undefined : findRegistryEntry(helpers, registry)
  const store = own ?? config.at('credsStore')
  return typeof store.value === 'string' && store.value !== '' ? store.value : undefined
}

function describeHelper(registry: string, helper: string): RegistryCredentials {
  const program = `docker-credential-${helper}`
  return {
    type: 'unusable',
    reason: `the login of "${registry}" is kept by ${program}, a program that is not started,`,
  }
}
