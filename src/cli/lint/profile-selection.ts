import { PROFILE_CHOICES } from '../../core/config/lint-keys.ts'
import type { Config } from '../../core/config/config.ts'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { type CommandLine, getListOption } from '../command.ts'

type ProfileList = Config['lint']['profiles']

/** Profiles of the command line, else of the configuration. The built-in ones are not requested. */
export function selectProfiles(
  call: CommandLine,
  { config, origins }: LoadedConfig,
): { profiles: ProfileList; requestedProfiles: ProfileList } {
  const named = getListOption(call, 'profile').flatMap(parseProfiles)
  if (named.length > 0) return { profiles: named, requestedProfiles: named }
  const { profiles } = config.lint
  const isDefault = origins['lint.profiles']?.layer === 'default'
  return { profiles, requestedProfiles: isDefault ? [] : profiles }
}

function parseProfiles(text: string): ProfileList {
  return text.split(',').map((part) => {
    const name = part.trim()
    const profile = PROFILE_CHOICES.find((each) => each === name)
    if (profile) return profile
    const guess = findNearest(name, PROFILE_CHOICES)
    throw new SkillsError('usage/invalid', `"${name}" is not a profile`, {
      hint: guess ? `Did you mean "${guess}"?` : `Profiles are ${PROFILE_CHOICES.join(', ')}`,
    })
  })
}
