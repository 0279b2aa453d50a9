import { SkillsError } from '../../errors.ts'
import { FLEET_KEYS } from './fleet-keys.ts'

/**
 * A project's file must not delete traces of runs, name the user's folders, set prices that disable
 * a ceiling of costs, name an authority of signatures, or connect to a foreign fleet.
 */
export const OPERATOR_KEYS: ReadonlySet<string> = new Set([
  'audit.ttl',
  'audit.quota',
  'toolchains',
  'caches',
  'evals.prices',
  'trust.sigstore_root',
  ...FLEET_KEYS.map(({ key }) => key),
])

export function projectSettingError(key: string, place: string): SkillsError {
  const message = `${place}: "${key}" is only allowed in the user's configuration, not in a project's`
  return new SkillsError('config/invalid', message, {
    hint: 'Move it to ~/.config/skills/config.toml',
  })
}
