import { SkillsError } from '../../../errors.ts'

type RegistryErrorCode =
  | 'remote/unexpected'
  | 'remote/timeout'
  | 'remote/unreachable'
  | 'auth/required'
  | 'skill/not-found'

const HINT =
  'Check the connection and the address of the registry, which for npm is in your .npmrc or in npm_config_registry'

/** A failure of a registry. `host` is without credentials, because messages show it. */
export function registryError(
  { host }: Pick<URL, 'host'>,
  problem: string,
  { code = 'remote/unexpected', hint }: { code?: RegistryErrorCode; hint?: string } = {},
): SkillsError {
  return new SkillsError(code, `The registry "${host}" is not usable: ${problem}`, {
    hint: hint ?? HINT,
  })
}

/** Content that does not match its digest, or that a registry must not serve. */
export function refusedContentError(source: string, problem: string): SkillsError {
  return new SkillsError('remote/unexpected', `"${source}" is refused: ${problem}`, {
    hint: 'Ask its publisher to publish it again, or install another version',
  })
}
